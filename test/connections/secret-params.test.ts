/** Secrets among the params of a connection: sealed where the client secret lies, and never shown. */
import { generateKeyPairSync } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { openClientSecret } from '../../src/connections/connection-columns.ts';
import {
  readPrivateKey,
  readServiceAccount,
  secretParamViolations,
} from '../../src/connections/secret-params.ts';
import type { BlockContent } from '../../src/authorization-types/index.ts';
import type { Catalog } from '../../src/catalog/model/types.ts';
import type { ServiceError } from '../../src/core/errors.ts';
import { ConnectionStore } from '../../src/store/accounts/connection-store.ts';
import { smallestEntry } from '../support/auth-entries.ts';
import { testCatalog } from '../support/test-catalog.ts';
import { ENVIRONMENT_ID, machine, testServices, type Services } from '../support/services.ts';

const pemOf = (key: { export(options: { type: 'pkcs8'; format: 'pem' }): string | Buffer }): string =>
  key.export({ type: 'pkcs8', format: 'pem' }) as string;
const RSA = pemOf(generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey);
const EC = pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
const FILE = { client_email: 'a@b.example', private_key: RSA, private_key_id: 'k1', client_id: '7' };

describe('secret among the params of a connection', () => {
  it.each([
    [{}],
    [{ params: { region: 'eu' } }],
    [{ params: { service_account_json: FILE } }],
    [{ params: { service_account_json: JSON.stringify(FILE) } }],
    [{ params: { private_key: RSA } }],
    [{ params: { private_key: EC }, client_id: 'c' }],
    [{ params: { private_key: null }, client_secret: 'instead' }],
  ])('accepts the params of case %#', (input) => {
    expect(secretParamViolations(input)).toEqual([]);
  });

  it.each([
    ['a number', { params: { private_key: 7 } }, 'params.private_key', 'format'],
    ['no PEM', { params: { private_key: 'secret' } }, 'params.private_key', 'format'],
    [
      'a key of another kind',
      { params: { private_key: pemOf(generateKeyPairSync('ed25519').privateKey) } },
      'params.private_key',
      'format',
    ],
    [
      'a key file without key',
      { params: { service_account_json: { client_email: 'a' } } },
      'params.service_account_json',
      'format',
    ],
    [
      'a key file with an EC key',
      { params: { service_account_json: { ...FILE, private_key: EC } } },
      'params.service_account_json',
      'format',
    ],
    [
      'beside a client secret',
      { params: { private_key: RSA }, client_secret: 's' },
      'params.private_key',
      'exclusive',
    ],
    [
      'two',
      { params: { private_key: RSA, service_account_json: FILE } },
      'params.service_account_json',
      'exclusive',
    ],
  ])('refuses the params: %s', (_, input, field, constraint) => {
    const violations = secretParamViolations(input);
    expect(violations).toMatchObject([{ field, constraint }]);
    expect(JSON.stringify(violations)).not.toContain('PRIVATE');
  });

  it('reads what a signature needs', () => {
    expect(readServiceAccount(JSON.stringify(FILE))).toEqual({
      clientEmail: 'a@b.example',
      privateKey: RSA,
      keyId: 'k1',
      clientId: '7',
    });
    expect(readServiceAccount('[]')).toBeUndefined();
    expect(readPrivateKey(EC)?.asymmetricKeyType).toBe('ec');
  });
});

/** The mailbox, which takes a secret in this way. */
function catalogOf(client_authentication: BlockContent<'SMART_FHIR'>['client_authentication']): Catalog {
  const { connectors, tools } = testCatalog;
  const mailbox = connectors.get('mailbox')!;
  const entry = smallestEntry('SMART_FHIR');
  const auth = [{ ...entry, smart_fhir: { ...entry.smart_fhir, client_authentication } }];
  return { connectors: new Map([...connectors, ['mailbox', { ...mailbox, auth }]]), tools };
}

async function storedConnection({ db, vault }: Pick<Services, 'db' | 'vault'>) {
  const row = await new ConnectionStore(db.read).findByName(ENVIRONMENT_ID, 'mailbox');
  if (row === undefined) throw new Error('no connection');
  return { params: row.params, secret: await openClientSecret(vault, row) };
}

describe('connection secret that nothing would be signed with', () => {
  it.each([
    ['post', { private_key: EC }, 'private_key'],
    ['basic', { private_key: RSA }, 'private_key'],
    ['private_key_jwt', { service_account_json: FILE }, 'service_account_json'],
  ] as const)('refuses the secret for a connector with %s: %#', async (how, params, name) => {
    const services = await testServices({ catalog: catalogOf(how) });
    const error = await services.connections
      .create(machine, { connector: 'mailbox', client_id: 'c', params })
      .then(undefined, (refused: ServiceError) => refused);
    expect((error as ServiceError).details).toEqual({
      field_violations: [
        {
          field: `params.${name}`,
          description: `Mailbox takes no ${name}: nothing would be signed with it. Leave it out; a client secret is given as client_secret.`,
          constraint: 'unknown',
        },
      ],
    });
  });

  it('lets a change take such a secret away', async () => {
    const { db, vault, connections } = await testServices({ catalog: catalogOf('private_key_jwt') });
    await connections.create(machine, { connector: 'mailbox', params: { private_key: EC } });
    expect((await storedConnection({ db, vault })).secret).toBe(EC);
    const changed = await testServices({ db, vault, catalog: catalogOf('post') });
    await changed.connections.update(machine, 'mailbox', { params: { private_key: null } });
    expect((await storedConnection({ db, vault })).secret).toBeUndefined();
  });
});

describe('connection with a secret among its params', () => {
  let services: Services;
  beforeEach(async () => {
    services = await testServices({ catalog: catalogOf('private_key_jwt') });
  });

  const stored = async () => storedConnection(services);

  it('keeps the secret sealed and shows the other params only', async () => {
    const view = await services.connections.create(machine, {
      connector: 'mailbox',
      params: { tenant: 'acme', private_key: EC },
    });
    expect(view.params).toEqual({ tenant: 'acme' });
    expect(await stored()).toEqual({ params: { tenant: 'acme' }, secret: EC });
  });

  it('keeps the secret when other params are replaced, and removes it for null', async () => {
    await services.connections.create(machine, {
      connector: 'mailbox',
      params: { tenant: 'acme', private_key: EC },
    });
    await services.connections.update(machine, 'mailbox', { params: { tenant: 'other' } });
    expect(await stored()).toEqual({ params: { tenant: 'other' }, secret: EC });
    await services.connections.update(machine, 'mailbox', { params: { private_key: null } });
    expect(await stored()).toEqual({ params: {}, secret: undefined });
  });

  it('writes nothing at a start with the declared secret, and stores a changed declaration', async () => {
    const declare = async (key: string | undefined) =>
      services.connections.synchronize(ENVIRONMENT_ID, [
        { connector: 'mailbox', params: key === undefined ? {} : { private_key: key } },
      ]);
    const sealed = async () =>
      (await new ConnectionStore(services.db.read).findByName(ENVIRONMENT_ID, 'mailbox'))?.clientSecretSealed;
    await declare(EC);
    const first = await sealed();
    await declare(EC);
    expect(await sealed()).toBe(first);
    await declare(RSA);
    expect((await stored()).secret).toBe(RSA);
    await declare(undefined);
    expect(await stored()).toEqual({ params: {}, secret: undefined });
  });
});
