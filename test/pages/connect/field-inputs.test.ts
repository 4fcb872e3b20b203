import { describe, expect, it } from 'vitest';
import { InvalidForm } from '../../../src/links/link-rules.ts';
import type { LinkPage } from '../../../src/links/links.ts';
import { readCredentialForm, type ConnectForm } from '../../../src/links/form-fields.ts';
import { LINK_PAGE, openDesk } from '../support.ts';

const FIELDS: LinkPage['fields'] = [
  { name: 'region', label: 'Region', input: 'text', choices: ['eu', '<us>'], required: true },
  { name: 'number', label: 'Number', input: 'text', pattern: '[0-9]{8}', example: '10"492', required: true },
  { name: 'pem', label: 'Key', input: 'multiline', required: true },
];
const oneLine = (page: string): string => page.replaceAll(/\s+/g, ' ').replaceAll(' >', '>');

describe('inputs of a credential form', () => {
  it.each([
    ['en', 'Choose one'],
    ['de', 'Bitte wählen'],
  ])('offers choices, examples and several lines (%s)', async (language, choose) => {
    const response = await openDesk({ page: { ...LINK_PAGE, fields: FIELDS } }).app.request(
      '/connect/token-1',
      {
        headers: { 'accept-language': language },
      },
    );
    const page = oneLine(await response.text());
    expect(page).toMatch(/<select id="field-0" name="region"\s+required>/);
    expect(page).toContain(`<option value="">${choose}</option>`);
    expect(page).toContain('&lt;us&gt;</option>');
    expect(page).toContain('placeholder="10&quot;492"');
    expect(page).toMatch(/<textarea id="field-2" name="pem" rows="6"[^>]* required><\/textarea>/);
  });

  it('keeps the choice but no secret when the form is shown again', async () => {
    const desk = openDesk({
      page: { fields: FIELDS },
      submitted: new InvalidForm([{ field: 'number', description: 'Wrong.', constraint: 'pattern' }]),
    });
    const response = await desk.post({ csrf: 'c', region: '<us>', number: '12', pem: 'SECRET\nLINE' });
    const page = oneLine(await response.text());
    expect(page).toContain('<option value="&lt;us&gt;" selected>');
    expect(page).toContain('value="12"');
    expect(page).not.toContain('SECRET');
  });

  it.each([
    ['required', 'Number fehlt.'],
    ['max_length', 'Number ist zu lang.'],
    ['characters', 'Number enthält Zeichen, die hier nicht erlaubt sind.'],
    ['enum', 'Wählen Sie Number aus der Liste.'],
    ['pattern', 'Number muss so aussehen: 10&quot;492.'],
    [
      'refused',
      'Exa nimmt das nicht an: Number. Prüfen Sie, ob alles vollständig und noch gültig ist, und geben Sie es noch einmal ein.',
    ],
    [
      'identifier',
      'Number muss Ihr eigener Name sein. Jemand anderen kann nur der Betreiber nennen, über die API.',
    ],
  ])(
    'says in German what is wrong with a value, above the form and next to it: %s',
    async (constraint, text) => {
      const desk = openDesk({
        page: { fields: FIELDS },
        submitted: new InvalidForm([{ field: 'number', description: 'Wrong.', constraint }]),
      });
      const response = await desk.post({ csrf: 'c', number: '12' }, { 'accept-language': 'de' });
      const page = oneLine(await response.text());
      expect(page).toContain(`<a href="#field-1">${text}</a>`);
      expect(page).toContain(`<p class="error" id="field-1-error"> ${text} </p>`);
      expect(page).not.toContain('Wrong.');
    },
  );

  it('keeps the line breaks of a secret of several lines', () => {
    const form: ConnectForm = {
      type: 'CUSTOM',
      fields: FIELDS.slice(2),
      placeholders: {},
      settings: undefined,
      detailsOf: (details) => ({ static_auth: { details } }),
    };
    const read = readCredentialForm(form, { pem: '\r\n-----BEGIN-----\r\nAAA\r\n-----END-----\r\n' });
    expect(read).toEqual({
      details: { static_auth: { details: { pem: '-----BEGIN-----\nAAA\n-----END-----' } } },
      apiConfig: {},
    });
  });
});
