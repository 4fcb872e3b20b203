/** `/dashboard/settings`: the settings in force and where they come from, the checks of the doctor, keys and version. */
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { DoctorCheck, SettingInForce } from '../../../core/telemetry/installation-report.ts';
import type { DashboardPage } from '../../access/dashboard-page.ts';
import { badge, type Tone } from '../../components/badge.ts';
import { card, empty, facts } from '../../components/card.ts';
import { copyButton } from '../../components/code.ts';
import { filters } from '../../components/filters.ts';
import { codeName, timeOrNone } from '../../components/format.ts';
import { nameCell, table } from '../../components/table.ts';
import type { DashboardEnv } from '../../frame/dashboard-context.ts';
import type { Html, Text } from '../../frame/html.ts';
import { showPage } from '../../frame/respond.ts';
import { frame } from '../../words/frame.ts';
import { settings as words } from '../../words/settings.ts';

const PATH = '/dashboard/settings';

const TONES: Readonly<Record<DoctorCheck['status'], Tone>> = { ok: 'ok', warning: 'wait', problem: 'bad' };

/** Shown instead of a secret that is set. */
const SET = 'set';

/** The page and its line in the navigation. */
export const settings: DashboardPage = {
  entry: { path: PATH, label: words.title, icon: 'gear', group: 'developers', audience: 'operator' },
  routes: (deps) =>
    new Hono<DashboardEnv>().get(PATH, async (c) => {
      const { caller } = c.get('viewer');
      const query = new URL(c.req.url).searchParams;
      const [checks, keyId, { audit }] = await Promise.all([
        deps.installation.doctor(caller),
        deps.sealingKeyId(),
        deps.auditLog.list(caller, { action: 'keys.rotate' }, { pageSize: 1 }),
      ]);
      return showPage(c, {
        title: words.title,
        lead: words.lead,
        content: html`${healthCard(checks)} ${programCard(deps.version, keyId, audit[0]?.at)}
        ${settingsCard(deps.installation.settings(caller), query)}`,
      });
    }),
};

/** The card with the checks: problems first; passed checks open with a click. */
function healthCard(checks: readonly DoctorCheck[]): Html {
  const { health } = words;
  const rank = { problem: 0, warning: 1, ok: 2 };
  const wrong = checks
    .filter(({ status }) => status !== 'ok')
    .toSorted((one, other) => rank[one.status] - rank[other.status]);
  const good = checks.filter(({ status }) => status === 'ok');
  return card({
    id: 'health',
    title: health.heading,
    content: html`${wrong.length === 0 ? html`<p class="body">${health.allGood}</p>` : checkList(wrong)}
      <details class="more">
        <summary>${health.good(good.length)}</summary>
        ${checkList(good)}
      </details>`,
  });
}

function checkList(checks: readonly DoctorCheck[]): Html {
  return facts(
    checks.map(({ name, status, message }) => ({
      label: name,
      value: html`${badge(TONES[status], words.health.statuses[status])} ${message}`,
    })),
  );
}

function programCard(version: string, keyId: string, rotatedAt: string | undefined): Html {
  const { program } = words;
  return card({
    id: 'program',
    title: program.heading,
    content: facts([
      { label: program.version, value: version },
      { label: program.key, value: html`<code>${keyId}</code>` },
      {
        label: program.rotated,
        value: rotatedAt === undefined ? program.never : timeOrNone(rotatedAt),
        hint: program.how,
      },
      { label: program.backups, value: program.noBackups, hint: program.howBackups },
    ]),
  });
}

function settingsCard(all: readonly SettingInForce[], query: URLSearchParams): Html {
  const { list } = words;
  const wanted = (query.get('q') ?? '').trim().toLowerCase();
  const from = query.get('from') ?? '';
  const found = all.filter(
    (setting) =>
      (from === '' || setting.from === from || (from === 'written' && setting.from !== 'default')) &&
      `${setting.key} ${plain(setting.value)}`.toLowerCase().includes(wanted),
  );
  const sources = Object.entries(list.sources).map(([value, label]) => ({ value, label }));
  return card({
    id: 'settings',
    title: list.heading,
    content: html`${filters(PATH, query, [
      { name: 'q', label: list.search, type: 'search', placeholder: list.placeholder },
      {
        name: 'from',
        label: list.source,
        choices: [{ value: '', label: list.every }, { value: 'written', label: list.notDefault }, ...sources],
      },
    ])}
    ${
      found.length === 0
        ? empty(frame.nothingMatches)
        : table<SettingInForce>(
            words.title,
            [
              { label: list.columns.key, cell: ({ key }) => nameCell({ name: codeName(key) }) },
              { label: list.columns.value, cell: ({ value }) => shown(value) },
              { label: list.columns.from, cell: (setting) => list.sources[setting.from], leftOutOn: 'phone' },
              { label: list.columns.copy, cell: copyLines, leftOutOn: 'phone' },
            ],
            found,
          )
    }`,
  });
}

function plain(value: SettingInForce['value']): string {
  return Array.isArray(value) ? value.join(', ') : String(value ?? '');
}

function shown(value: SettingInForce['value']): Text {
  if (value === SET) return html`<span class="mask">${words.list.set}</span>`;
  const text = plain(value);
  return text === '' ? words.list.none : html`<code>${text}</code>`;
}

/** Lines of gatehouse.yaml that set the value. JSON values are valid YAML. */
function copyLines({ key, value }: SettingInForce): Text {
  if (value === SET) return '';
  const names = key.split('.');
  const lines = names.map((name, depth) => {
    const isLast = depth === names.length - 1;
    return `${'  '.repeat(depth)}${name}:${isLast ? ` ${JSON.stringify(value)}` : ''}`;
  });
  return copyButton(lines.join('\n'), words.list.line(key));
}
