/** Actions that change a person's rights, sessions or existence, each after a question. */
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { FieldViolation } from '../../../core/errors.ts';
import type { UserView } from '../../../people/users.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { fresh } from '../../access/fresh.ts';
import { personName } from '../../access/names.ts';
import { attempt } from '../../access/posted-forms.ts';
import { confirmPage, wrongName } from '../../components/confirm.ts';
import { refusal } from '../../components/form.ts';
import { count } from '../../components/format.ts';
import { note } from '../../components/note.ts';
import type { DashboardContext, DashboardEnv } from '../../frame/dashboard-context.ts';
import type { Page } from '../../frame/layout.ts';
import { showPage } from '../../frame/respond.ts';
import { users as words } from '../../words/users.ts';
import { activeSessions, USERS } from './user-page.ts';

/** A change that needs a question and a fresh sign-in. */
interface Change {
  /** Last part of its path. */
  verb: string;
  words: {
    title: (name: string) => string;
    goes: readonly string[];
    stays?: readonly string[];
    button: string;
    done: (name: string) => string;
  };
  /** It takes operator rights, so that operators are warned of doing it to themselves. */
  takesRights?: boolean;
  run: (c: DashboardContext, id: string) => Promise<unknown>;
  /**
   * A deletion: the e-mail address has to be typed, and the list of people comes next, because the person's page is
   * gone.
   */
  isDelete?: boolean;
}

/** Routes of all actions. */
export function userActionRoutes(deps: DashboardDependencies): Hono<DashboardEnv> {
  const { users, apiSessions, posted, flashes } = deps;
  const changes: readonly Change[] = [
    {
      verb: 'make-operator',
      words: words.makeOperator,
      run: (c, id) => users.update(c.get('viewer').caller, id, { is_operator: true }),
    },
    {
      verb: 'take-rights',
      words: words.takeRights,
      takesRights: true,
      run: (c, id) => users.update(c.get('viewer').caller, id, { is_operator: false }),
    },
    { verb: 'unbind', words: words.unbind, run: (c, id) => users.unbind(c.get('viewer').caller, id) },
    {
      verb: 'delete',
      words: words.remove,
      takesRights: true,
      run: (c, id) => users.remove(c.get('viewer').caller, id),
      isDelete: true,
    },
  ];
  const routes = new Hono<DashboardEnv>();
  for (const change of changes) addChange(routes, deps, change);
  return routes
    .get(`${USERS}/:id/sessions/end`, async (c) => {
      const user = await users.get(c.get('viewer').caller, c.req.param('id'));
      return showPage(c, question(c, user, { verb: 'sessions/end', words: words.endAll }));
    })
    .post(`${USERS}/:id/sessions/end`, async (c) => {
      const id = c.req.param('id');
      await posted.read(c);
      const { caller } = c.get('viewer');
      const sessions = await activeSessions(deps, c, id);
      for (const session of sessions) await apiSessions.end(caller, session.id);
      return flashes.goTo(c, `${USERS}/${id}`, words.endAll.done(count(sessions.length)));
    })
    .post(`${USERS}/:id/sessions/:session/end`, async (c) => {
      await posted.read(c);
      await apiSessions.end(c.get('viewer').caller, c.req.param('session'));
      return flashes.goTo(c, `${USERS}/${c.req.param('id')}`, words.one.sessionEnded);
    });
}

function addChange(
  routes: Hono<DashboardEnv>,
  { users, posted, flashes }: DashboardDependencies,
  change: Change,
): void {
  const { verb, words: text, run, isDelete = false } = change;
  routes.use(`${USERS}/:id/${verb}`, fresh);
  routes.get(`${USERS}/:id/${verb}`, async (c) => {
    const id = c.req.param('id');
    const user = await users.get(c.get('viewer').caller, id);
    return showPage(c, await warnedQuestion(users, c, user, change));
  });
  routes.post(`${USERS}/:id/${verb}`, async (c) => {
    const id = c.req.param('id');
    const { values } = await posted.read(c);
    const user = await users.get(c.get('viewer').caller, id);
    const wrong = isDelete ? wrongName(values, user.email) : [];
    if (wrong.length > 0) return showPage(c, await warnedQuestion(users, c, user, change, wrong));
    const { problems: refused } = await attempt(() => run(c, id));
    if (refused !== undefined) {
      const page = await warnedQuestion(users, c, user, change);
      return showPage(c, { ...page, hasProblems: true, content: html`${refusal(refused)} ${page.content}` });
    }
    return flashes.goTo(c, isDelete ? USERS : `${USERS}/${id}`, text.done(personName(user).name));
  });
}

/** The question, with a warning for operators who take their own rights. The last operator is told the way back. */
async function warnedQuestion(
  users: DashboardDependencies['users'],
  c: DashboardContext,
  user: UserView,
  change: Change,
  wrong: readonly FieldViolation[] = [],
): Promise<Page> {
  const page = question(c, user, change, wrong);
  const { userId, caller } = c.get('viewer');
  if (change.takesRights !== true || user.id !== userId) return page;
  const text = (await users.isLastOperator(caller, user)) ? words.lastOperator : words.yourself;
  return { ...page, content: html`${note(text, 'wait')} ${page.content}` };
}

function question(
  c: DashboardContext,
  user: UserView,
  { verb, words: text, isDelete = false }: Pick<Change, 'verb' | 'words' | 'isDelete'>,
  wrong: readonly FieldViolation[] = [],
): Page {
  const { name } = personName(user);
  const { title, goes, stays = [], button } = text;
  const path = `${USERS}/${user.id}`;
  return confirmPage(
    c,
    {
      title: title(name),
      goes,
      stays,
      button,
      crumbs: [{ label: name, href: path }],
      action: `${path}/${verb}`,
      cancel: path,
      ...(isDelete && { name: user.email }),
    },
    wrong,
  );
}
