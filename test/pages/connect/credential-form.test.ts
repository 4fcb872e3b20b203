import { describe, expect, it } from 'vitest';
import { openDesk, policyOf, tagsOf } from '../support.ts';

/** The hint of a field as the page has it. */
async function shown(hint: string): Promise<string> {
  const fields = [{ name: 'api_key', label: 'API key', input: 'password', hint, required: true }] as const;
  const page = await (await openDesk({ page: { fields } }).app.request('/connect/token-1')).text();
  return /<p class="hint" id="field-0-hint">(.*?)<\/p>/s.exec(page)?.[1] ?? '';
}

const link = (href: string, text = href): string =>
  `<a href="${href}" target="_blank" rel="noopener noreferrer">${text}</a>`;

describe('hint of a field on the link page', () => {
  it.each([
    [
      'Make one at https://keys.example.test/api-keys and paste it here.',
      `Make one at ${link('https://keys.example.test/api-keys')} and paste it here.`,
    ],
    ['See https://a.example.test/x.', `See ${link('https://a.example.test/x')}.`],
    [
      'It is listed (https://a.example.test/x?y=1).',
      `It is listed (${link('https://a.example.test/x?y=1')}).`,
    ],
    [
      'https://a.example.test/x?a=1&b=2, or https://b.example.test/',
      `${link('https://a.example.test/x?a=1&amp;b=2')}, or ${link('https://b.example.test/')}`,
    ],
    ['Under https://a.example.test/#keys!', `Under ${link('https://a.example.test/#keys')}!`],
  ])('makes links of https addresses: %s', async (hint, html) => {
    expect(await shown(hint)).toBe(html);
  });

  it.each([
    'Under http://a.example.test/keys',
    'At dashboard.example.test',
    'javascript:alert(1)',
    'https:// is missing',
    'https://',
    'https://user:pass@a.example.test/',
    'https://[nonsense',
  ])('leaves everything else as text: %s', async (hint) => {
    expect(await shown(hint)).toBe(hint);
  });

  it('adds no markup to the page, and ends the link with the address', async () => {
    expect(await shown('https://a.example.test/"onclick="x"><script>alert(1)</script>')).toBe(
      `${link('https://a.example.test/')}&quot;onclick=&quot;x&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;`,
    );
  });

  it('changes neither the policy of the page nor what another field says', async () => {
    const fields = [
      { name: 'a', label: 'A', input: 'text', hint: 'https://a.example.test/', required: true },
    ] as const;
    const show = async (hint: string) =>
      openDesk({ page: { fields: [{ ...fields[0], hint }] } }).app.request('/connect/token-1');
    const [plain, linked] = [await show('No address.'), await show(fields[0].hint)];
    expect(policyOf(linked)).toEqual(policyOf(plain));
    expect(tagsOf(await linked.text()).filter((tag) => tag === 'a')).toHaveLength(1);
  });
});
