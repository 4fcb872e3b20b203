/**
 * Initial data of the CRM: the people and companies of the sandbox's web, on reserved `.example` domains. It
 * is written through the same rules as requests, so that no seed is stored that a request could not create.
 */
import { stableUuid, timestamp, WORKSPACE, type Actor, type CrmRecord } from './model.ts';
import { seedActivity } from './seed-activity.ts';
import { addObject, addStandardObjects } from './standard-objects.ts';
import { readValues } from './values.ts';
import { SYSTEM, type Workspace } from './workspace.ts';

/** Each seeded day follows the previous one, so that lists have an order. */
const FIRST_DAY = Date.UTC(2026, 2, 2, 8, 30, 12, 61);
const DAY_MS = 86_400_000;

const MEMBERS = [
  ['robin', 'Robin', 'Vale', 'admin'],
  ['sanna', 'Sanna', 'Holm', 'member'],
  ['teo', 'Teo', 'Marsh', 'member'],
  ['wim', 'Wim', 'Dekker', 'suspended'],
] as const;

const COMPANIES = [
  [
    'Marrowlight',
    'marrowlight.example',
    'Energy',
    '51-250',
    'Grid batteries for small islands.',
    'Bergen',
    'NO',
  ],
  [
    'Fernway Robotics',
    'fernway-robotics.example',
    'Robotics',
    '51-250',
    'Field robots that pull weeds.',
    'Wageningen',
    'NL',
  ],
  ['Quillmark', 'quillmark.example', 'Software', '11-50', 'Contracts that people can read.', 'Lisbon', 'PT'],
  [
    'Coastal Energy Institute',
    'coastal-energy.example',
    'Research',
    '251-1K',
    'Studies storage for tidal power.',
    'Porto',
    'PT',
  ],
  [
    'Harbour Almanac',
    'harbour-almanac.example',
    'Publishing',
    '1-10',
    'Tide tables and what to make of them.',
    'Oslo',
    'NO',
  ],
  [
    'Slow Cup',
    'slowcup.example',
    'Hospitality',
    '1-10',
    'Coffee, explained with a kitchen scale.',
    'Turin',
    'IT',
  ],
] as const;

const PEOPLE = [
  ['Ines Duarte', 'ines.duarte@coastal-energy.example', 'Energy researcher', 3, '+351 21 555 0101'],
  ['Marit Solheim', 'marit@harbour-almanac.example', 'Editor', 4, '+47 55 55 01 02'],
  ['Jonas Brandt', 'jonas.brandt@harbour-almanac.example', 'Reporter', 4, '+47 55 55 01 03'],
  ['Livia Conti', 'livia@slowcup.example', 'Owner', 5, '+39 011 555 0104'],
  ['Adaeze Okafor', 'adaeze.okafor@quillmark.example', 'Protocol engineer', 2, '+234 1 555 0105'],
  ['Hana Novak', 'hana.novak@fernway-robotics.example', 'Head of fleet', 1, '+31 317 555 106'],
  ['Ole Lindqvist', 'ole@marrowlight.example', 'Head of purchasing', 0, '+47 55 55 01 07'],
  ['Priya Raman', 'priya.raman@marrowlight.example', 'Site engineer', 0, '+47 55 55 01 08'],
] as const;

const DEALS = [
  ['Night batteries for Fedje', 'Won 🎉', 184_000, 0, 6],
  ['Beacons for the northern tide gauges', 'In Progress', 42_500, 4, 1],
  ['Charging posts for field robots', 'In Progress', 67_200, 1, 5],
  ['Reading lamps for council archives', 'Lead', 8900, 2, 4],
  ['Test bench for tidal storage', 'Lead', 120_000, 3, 0],
] as const;

/** Fills an empty workspace. */
export function seedWorkspace(workspace: Workspace): void {
  let day = 0;
  const at = (): string => timestamp(FIRST_DAY + day * DAY_MS);
  addStandardObjects(workspace, at());
  for (const [key, first, last, level] of MEMBERS) {
    workspace.members.push({
      id: { workspace_id: WORKSPACE.id, workspace_member_id: stableUuid('member', key) },
      first_name: first,
      last_name: last,
      avatar_url: null,
      email_address: `${key}@northlight.example`,
      created_at: at(),
      access_level: level,
    });
  }
  const owner = actorOf('robin');
  const writer = () => ({ workspace, actor: owner, at: at() });
  const add = (slug: string, values: Record<string, unknown[]>): CrmRecord => {
    day += 1;
    const object = workspace.object(slug);
    const others = workspace.recordsOf(object).map((record) => record.values);
    const id = stableUuid(slug, others.length + 1);
    return workspace.addRecord(object, readValues(object, values, writer(), others), at(), id);
  };
  const reference = (object: string, record: CrmRecord | undefined) => [
    { target_object: object, target_record_id: record?.id.record_id },
  ];

  const companies = COMPANIES.map(([name, domain, category, range, description, locality, country]) =>
    add('companies', {
      name: [{ value: name }],
      domains: [{ domain }],
      description: [{ value: description }],
      categories: [{ option: category }],
      employee_range: [{ option: range }],
      primary_location: [place(locality, country)],
    }),
  );
  const people = PEOPLE.map(([name, email, title, company, phone]) => {
    const person = add('people', {
      name: [{ full_name: name }],
      email_addresses: [{ email_address: email }],
      phone_numbers: [{ original_phone_number: phone }],
      job_title: [{ value: title }],
      company: reference('companies', companies[company]),
    });
    person.values.last_interaction = [
      {
        active_from: at(),
        active_until: null,
        created_by_actor: SYSTEM,
        interaction_type: 'email',
        interacted_at: at(),
        owner_actor: owner,
        attribute_type: 'interaction',
      },
    ];
    return person;
  });
  for (const [index, company] of companies.entries()) {
    const team = people.filter((_, person) => PEOPLE[person]?.[3] === index);
    const members = { team: team.flatMap((person) => reference('people', person)) };
    company.values.team = readValues(workspace.object('companies'), members, writer(), []).team ?? [];
  }
  for (const [name, stage, amount, company, person] of DEALS) {
    const deal = add('deals', {
      name: [{ value: name }],
      stage: [{ status: stage }],
      owner: [{ workspace_member_email_address: 'robin@northlight.example' }],
      value: [{ currency_value: amount }],
      associated_company: reference('companies', companies[company]),
      associated_people: reference('people', people[person]),
    });
    keepEarlierStage(workspace, deal, FIRST_DAY + (day - 0.5) * DAY_MS);
  }
  const tenant = add('workspaces', {
    workspace_id: [{ value: 'ws-fedje' }],
    name: [{ value: 'Fedje night grid' }],
    company: reference('companies', companies[0]),
  });
  add('users', {
    user_id: [{ value: 'usr-ole' }],
    primary_email_address: [{ email_address: 'ole@marrowlight.example' }],
    person: reference('people', people[6]),
    workspace: reference('workspaces', tenant),
  });
  addObject(
    workspace,
    { slug: 'sites', singular: 'Site', plural: 'Sites', isCustom: true },
    [{ slug: 'name', title: 'Name', type: 'text' }],
    at(),
  );
  add('sites', { name: [{ value: 'Fedje harbour' }] });
  seedActivity(workspace, { people, companies, owner, at: () => timestamp(FIRST_DAY + ++day * DAY_MS) });
}

function actorOf(key: string): Actor {
  return { type: 'workspace-member', id: stableUuid('member', key) };
}

/** Every deal was a lead until half a day earlier, which gives its stage a history. */
function keepEarlierStage(workspace: Workspace, deal: CrmRecord, earlierMs: number): void {
  const deals = workspace.object('deals');
  const from = { workspace, actor: actorOf('robin'), at: timestamp(earlierMs) };
  const [lead] =
    readValues(deals, { name: [{ value: '' }], stage: [{ status: 'Lead' }] }, from, []).stage ?? [];
  const [now] = deal.values.stage ?? [];
  if (lead !== undefined && now !== undefined && now.status !== lead.status)
    deal.values.stage = [{ ...lead, active_until: now.active_from }, now];
}

function place(locality: string, country_code: string) {
  return {
    line_1: null,
    line_2: null,
    line_3: null,
    line_4: null,
    locality,
    region: null,
    postcode: null,
    country_code,
    latitude: null,
    longitude: null,
  };
}
