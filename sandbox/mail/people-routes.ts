/** Contacts, the people around the account, and the settings of the mailbox. */
import { Hono } from 'hono';
import { z } from 'zod';
import { pageOf, readSelect, requireKnown } from './event-list.ts';
import { readMembers, time } from './event-shape.ts';
import { idOf, readBody, requireScope, type MailContext, type MailEnv } from './exchange.ts';
import { mailId } from './mailbox/model.ts';
import { MEMBERS } from './model.ts';
import { badRequest, itemNotFound } from './refusal.ts';
import type { Rendered } from './rendering.ts';

const READ = ['Contacts.Read', 'Contacts.ReadWrite'];
const WRITE = ['Contacts.ReadWrite'];
const SETTINGS = ['MailboxSettings.Read', 'MailboxSettings.ReadWrite'];

const contact = z.strictObject({
  givenName: z.string().optional(),
  surname: z.string().optional(),
  displayName: z.string().optional(),
  companyName: z.string().optional(),
  jobTitle: z.string().optional(),
  department: z.string().optional(),
  emailAddresses: z.array(z.strictObject({ address: z.string(), name: z.string().optional() })).optional(),
  businessPhones: z.array(z.string()).optional(),
  homePhones: z.array(z.string()).optional(),
  mobilePhone: z.string().optional(),
  personalNotes: z.string().optional(),
  categories: z.array(z.string()).optional(),
});

const settings = z.strictObject({
  automaticRepliesSetting: z
    .strictObject({
      status: z.enum(['disabled', 'alwaysEnabled', 'scheduled']).optional(),
      externalAudience: z.enum(['none', 'contactsOnly', 'all']).optional(),
      internalReplyMessage: z.string().optional(),
      externalReplyMessage: z.string().optional(),
      scheduledStartDateTime: time.optional(),
      scheduledEndDateTime: time.optional(),
    })
    .optional(),
  timeZone: z.string().optional(),
  language: z.strictObject({ locale: z.string() }).optional(),
});

type Contact = z.infer<typeof contact> & { id: string };

/** The people data of one user. */
interface OwnPeople {
  contacts: Map<string, Contact>;
  settings: z.infer<typeof settings>;
}

/** `/me/contacts…`, `/me/people`, `/me/mailboxSettings` */
export function peopleRoutes(): Hono<MailEnv> {
  const known = new Map<string, OwnPeople>();
  const of = (c: MailContext): OwnPeople => {
    const { id } = c.get('mailbox').owner;
    const own = known.get(id) ?? { contacts: seededContacts(id), settings: INITIAL };
    known.set(id, own);
    return own;
  };
  const contactOf = (c: MailContext): Contact => {
    const found = of(c).contacts.get(idOf(c));
    if (found === undefined) throw itemNotFound();
    return found;
  };
  const keep = (c: MailContext, change: z.infer<typeof contact>, id: string): Rendered => {
    const own = of(c);
    const kept = { ...own.contacts.get(id), ...change, id };
    own.contacts.set(id, kept);
    return renderContact(kept);
  };
  const routes = new Hono<MailEnv>();
  routes.get('/me/contacts', (c) => {
    requireScope(c, READ);
    const url = new URL(c.req.url);
    // No stated behavior of the provider: its page about contacts has no $search.
    if (url.searchParams.has('$search'))
      throw badRequest("The query parameter '$search' is not supported here.", 'ErrorInvalidUrlQuery');
    return c.json(pageOf([...of(c).contacts.values()].map(renderContact), url, 'contacts'));
  });
  routes.post('/me/contacts', async (c) => {
    requireScope(c, WRITE);
    const change = readMembers(contact, await readBody(c), 'contact');
    return c.json(
      keep(c, change, mailId(`${c.get('mailbox').owner.id}:contact:${of(c).contacts.size}`)),
      201,
    );
  });
  routes.get('/me/contacts/:id', (c) => {
    requireScope(c, READ);
    return c.json(readSelect(c.req.query('$select') ?? null)(renderContact(contactOf(c))));
  });
  routes.patch('/me/contacts/:id', async (c) => {
    requireScope(c, WRITE);
    const { id } = contactOf(c);
    return c.json(keep(c, readMembers(contact, await readBody(c), 'contact'), id));
  });
  routes.get('/me/people', (c) => {
    requireScope(c, ['People.Read']);
    const query = new URL(c.req.url).searchParams;
    requireKnown(query, ['$search', '$top', '$select']);
    const words = (query.get('$search') ?? '').replaceAll('"', '').toLowerCase();
    const found = MEMBERS.filter(({ name, email }) => `${name} ${email}`.toLowerCase().includes(words));
    return c.json({ value: found.slice(0, Number(query.get('$top') ?? 10)).map(renderPerson) });
  });
  routes.get('/me/mailboxSettings', (c) => {
    requireScope(c, SETTINGS);
    return c.json(renderSettings(of(c)));
  });
  routes.patch('/me/mailboxSettings', async (c) => {
    requireScope(c, ['MailboxSettings.ReadWrite']);
    const own = of(c);
    const { automaticRepliesSetting, ...change } = readMembers(
      settings,
      await readBody(c),
      'mailboxSettings',
    );
    const replies = { ...own.settings.automaticRepliesSetting, ...automaticRepliesSetting };
    own.settings = { ...own.settings, ...change, automaticRepliesSetting: replies };
    return c.json(renderSettings(own));
  });
  return routes;
}

const INITIAL: OwnPeople['settings'] = {
  automaticRepliesSetting: {
    status: 'disabled',
    externalAudience: 'all',
    internalReplyMessage: '',
    externalReplyMessage: '',
  },
  timeZone: 'W. Europe Standard Time',
  language: { locale: 'en-US' },
};

function seededContacts(owner: string): Map<string, Contact> {
  const seeds: z.infer<typeof contact>[] = [
    {
      givenName: 'Livia',
      surname: 'Conti',
      companyName: 'Slow Cup',
      emailAddresses: [{ address: 'livia@slowcup.example', name: 'Livia Conti' }],
      businessPhones: ['+39 040 555 0101'],
    },
    {
      givenName: 'Ole',
      surname: 'Lindqvist',
      companyName: 'Marrowlight',
      jobTitle: 'Founder',
      emailAddresses: [{ address: 'ole@marrowlight.example', name: 'Ole Lindqvist' }],
      mobilePhone: '+47 555 01 02',
    },
  ];
  return new Map(
    seeds.map((seed, i) => {
      const id = mailId(`${owner}:contact-seed:${i}`);
      return [id, { ...seed, id }];
    }),
  );
}

function renderContact(one: Contact): Rendered {
  const name = [one.givenName, one.surname].filter((part) => part !== undefined).join(' ');
  return {
    displayName: name === '' ? (one.companyName ?? '') : name,
    givenName: null,
    surname: null,
    companyName: null,
    jobTitle: null,
    department: null,
    emailAddresses: [],
    businessPhones: [],
    homePhones: [],
    mobilePhone: null,
    personalNotes: '',
    categories: [],
    ...one,
  };
}

function renderPerson({ id, name, email }: (typeof MEMBERS)[number]): Rendered {
  const [givenName = '', surname = ''] = name.split(' ');
  return {
    id,
    displayName: name,
    givenName,
    surname,
    jobTitle: null,
    department: null,
    companyName: 'Northlight Supply',
    userPrincipalName: email,
    scoredEmailAddresses: [{ address: email, relevanceScore: 8 }],
    personType: { class: 'Person', subclass: 'OrganizationUser' },
  };
}

function renderSettings({ settings: { language, ...own } }: OwnPeople): Rendered {
  return {
    ...own,
    language: { locale: language?.locale ?? 'en-US', displayName: 'English (United States)' },
    dateFormat: 'dd.MM.yyyy',
    timeFormat: 'HH:mm',
    delegateMeetingMessageDeliveryOptions: 'sendToDelegateOnly',
    workingHours: {
      daysOfWeek: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
      startTime: '08:00:00.0000000',
      endTime: '17:00:00.0000000',
      timeZone: { name: 'W. Europe Standard Time' },
    },
  };
}
