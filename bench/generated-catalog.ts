/**
 * A catalog of any size for measurements: connectors of invented apps, each with five tools for each of twenty things.
 * The things are not those of the shipped tools, so a question about these has one right answer. Always the same files.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';

const THINGS =
  'invoice ticket shipment refund vehicle shift payslip vacancy applicant coupon parcel pallet supplier tariff lease ' +
  'tenancy boiler sensor firmware gateway printer certificate domain mailbox alias repository branch commit pipeline ' +
  'artifact incident runbook rota visitor badge locker menu ingredient recipe reservation room guestbook loyalty voucher ' +
  'campaign banner audience donation sponsor grantee syllabus lesson quiz transcript dormitory patient dosage allergy ' +
  'referral prescription specimen ward claim policyholder premium mortgage ledger voucherbook budget expense receipt ' +
  'mileage forecast inventory bin aisle carrier container vessel berth manifest customs quota permit zoning parcelmap';

const TOOLS_OF_A_THING = [
  { verb: 'list', title: 'List', effect: 'read', method: 'GET' },
  { verb: 'get', title: 'Get', effect: 'read', method: 'GET' },
  { verb: 'create', title: 'Create', effect: 'create', method: 'POST' },
  { verb: 'update', title: 'Update', effect: 'update', method: 'PATCH' },
  { verb: 'delete', title: 'Delete', effect: 'delete', method: 'DELETE' },
] as const;

const THINGS_OF_A_CONNECTOR = 20;

/**
 * Writes the files.
 *
 * @param folder is made; named in `catalog_dirs` afterwards
 * @param tools how many, a multiple of 100
 */
export function writeGeneratedCatalog(folder: string, tools: number): void {
  const things = THINGS.split(' ');
  for (let at = 0; at < tools / (THINGS_OF_A_CONNECTOR * TOOLS_OF_A_THING.length); at += 1) {
    const name = `app${String(at).padStart(3, '0')}`;
    const own = Array.from(
      { length: THINGS_OF_A_CONNECTOR },
      (_, i) => things[(at * 7 + i) % things.length] ?? '',
    );
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, 'connector.yaml'), stringify(connectorOf(name)));
    writeFileSync(
      join(folder, name, 'things.yaml'),
      stringify({ connector: name, tools: own.flatMap((thing) => toolsOf(name, thing)) }),
    );
  }
}

function connectorOf(name: string): object {
  return {
    name,
    title: `Invented ${name}`,
    description: 'An app that exists only for measurements.',
    hosts: [{ url: `https://${name}.example.test` }],
    auth: [{ type: 'BEARER_TOKEN', fields: [{ name: 'token', label: 'Token' }] }],
  };
}

function toolsOf(connector: string, thing: string): object[] {
  return TOOLS_OF_A_THING.map(({ verb, title, effect, method }) => {
    const isOfOne = verb !== 'list' && verb !== 'create';
    return {
      name: `${connector}_${verb}_${thing}`,
      title: `${title} ${thing}`,
      description: `${title} a ${thing} of the account, with its number, owner and dates. The answer has one member for each field.`,
      effect,
      source: { url: 'https://docs.example.test/things', checked: '2026-11-20' },
      parameters: {
        ...(isOfOne && {
          id: { type: 'string', required: true, to: 'path.id', description: `Id of the ${thing}.` },
        }),
        ...(verb === 'list' && {
          limit: {
            type: 'integer',
            minimum: 1,
            maximum: 100,
            to: 'query.limit',
            description: 'Maximum number.',
          },
        }),
        ...((verb === 'create' || verb === 'update') && {
          label: { type: 'string', to: 'body.label', description: `What the ${thing} is called.` },
          owner: { type: 'string', to: 'body.owner', description: `Who the ${thing} belongs to.` },
          amount: {
            type: 'number',
            to: 'body.amount',
            description: 'Amount in the currency of the account.',
          },
        }),
      },
      request: { method, path: isOfOne ? `/v1/${thing}s/{id}` : `/v1/${thing}s` },
    };
  });
}
