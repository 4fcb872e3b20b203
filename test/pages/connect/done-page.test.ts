import { describe, expect, it } from 'vitest';
import type { ConnectedAccount } from '../../../src/links/link-ends.ts';
import { openDesk, tagsOf } from '../support.ts';

const ATTIO: ConnectedAccount = {
  connectorTitle: 'Attio',
  displayName: 'Northlight <b>Supply</b>',
  prompts: ['Which deals close this month?', 'Who is new?', 'A third one'],
};

const show = async (connected: ConnectedAccount | undefined, cookie: string, language = 'en') =>
  (
    await openDesk(connected === undefined ? {} : { connected }).app.request('/connect/done', {
      headers: { cookie, 'accept-language': language },
    })
  ).text();

const MARK = 'gatehouse_browser=known; gatehouse_done=mark-1';

describe('final page after an account is connected', () => {
  it.each([
    [
      'en',
      'Attio is connected as <bdi>Northlight &lt;b&gt;Supply&lt;/b&gt;</bdi>',
      'What you may ask first',
      'Which deals close this month?',
    ],
    [
      'de',
      'Attio ist als <bdi>Northlight &lt;b&gt;Supply&lt;/b&gt;</bdi> verbunden',
      'Was Sie zuerst fragen können',
      '<bdi lang="en">Which deals close this month?</bdi>',
    ],
  ])(
    'names the app and the account at it, and what to ask first (%s)',
    async (language, title, heading, prompt) => {
      const page = (await show(ATTIO, MARK, language)).replaceAll(/\s+/g, ' ');
      expect(page).toContain(title);
      expect(page).toContain(`<h2>${heading}</h2>`);
      expect(page.match(/<q>/g)).toHaveLength(2);
      expect(page).toContain(`<q>${prompt}</q>`);
    },
  );

  it('names only the app where the provider says nothing', async () => {
    const page = await show({ ...ATTIO, displayName: null, prompts: [] }, MARK);
    expect(page).toContain('<title>Attio is connected · Gatehouse</title>');
    expect(tagsOf(page)).not.toContain('bdi');
    expect(tagsOf(page)).not.toContain('q');
  });

  it('gives nothing to try to somebody whose credential could not be tried', async () => {
    const page = await show(ATTIO, `${MARK}; gatehouse_untried=1`);
    expect(page).toContain('could not be tried');
    expect(tagsOf(page)).not.toContain('q');
  });

  it('leads back to the accounts where the browser has connected something from there', async () => {
    expect(await show(ATTIO, `${MARK}; gatehouse_own_link=hash`)).toContain('href="/accounts"');
    expect(await show(ATTIO, MARK)).not.toContain('href="/accounts"');
  });

  it.each(['gatehouse_done=1', 'gatehouse_done=mark-2'])(
    'names nothing for a foreign mark: %s',
    async (cookie) => {
      const page = await show(ATTIO, cookie);
      expect(page).toContain('<title>Connected · Gatehouse</title>');
      expect(page).not.toContain('Attio');
    },
  );
});
