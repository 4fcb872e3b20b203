/** `/dashboard/webhooks`: addresses that are notified about events of accounts, and the result of each delivery. */
import { Hono } from 'hono';
import { WEBHOOK_EVENTS } from '../../../core/webhook-events.ts';
import { DELIVERY_STATUSES } from '../../../core/stored-words.ts';
import type { WebhookView } from '../../../webhooks/webhook-rules.ts';
import type { DashboardPage } from '../../access/dashboard-page.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { deletionRoutes } from '../../access/deletion.ts';
import { fresh, requireFresh } from '../../access/fresh.ts';
import { attempt, type Posted } from '../../access/posted-forms.ts';
import { besideField } from '../../access/taken-value.ts';
import { count } from '../../components/format.ts';
import type { DashboardContext, DashboardEnv } from '../../frame/dashboard-context.ts';
import { showPage } from '../../frame/respond.ts';
import { webhooks as words } from '../../words/webhooks.ts';
import { webhookForm, webhookList, webhookPage, webhookPath, WEBHOOKS } from './webhook-pages.ts';

const NEW = `${WEBHOOKS}/new`;
const ONE = `${WEBHOOKS}/:id`;

/** The pages and their line in the navigation. */
export const webhooks: DashboardPage = {
  entry: { path: WEBHOOKS, label: words.title, icon: 'hook', group: 'developers', audience: 'operator' },
  routes: (deps) => {
    const routes = new Hono<DashboardEnv>();
    routes.get(WEBHOOKS, async (c) =>
      showPage(c, webhookList(await deps.webhooks.list(c.get('viewer').caller.environmentId))),
    );
    addForms(routes, deps);
    routes.get(ONE, async (c) => {
      const query = new URL(c.req.url).searchParams;
      const webhook = await webhookOf(deps, c);
      const page = await deps.deliveryLog.list(c.get('viewer').caller.environmentId, webhook.id, {
        status: DELIVERY_STATUSES.find((status) => status === query.get('status')),
        pageToken: query.get('page_token') ?? undefined,
      });
      return showPage(c, webhookPage(c, webhook, page, query));
    });
    addActions(routes, deps);
    return routes.route(
      '/',
      deletionRoutes(deps, {
        list: WEBHOOKS,
        words: words.remove,
        nameOf: async (c, id) => (await deps.webhooks.get(c.get('viewer').caller.environmentId, id)).name,
        remove: async (c, id) => deps.webhooks.remove(c.get('viewer').caller, id),
      }),
    );
  },
};

function addForms(routes: Hono<DashboardEnv>, deps: DashboardDependencies): void {
  routes.use(NEW, fresh).use(`${ONE}/edit`, fresh);
  routes.get(NEW, (c) =>
    showPage(c, webhookForm(c, undefined, { values: { enabled: 'true' }, events: WEBHOOK_EVENTS })),
  );
  routes.post(NEW, async (c) => {
    const posted = await deps.posted.read(c);
    const input = { ...readWebhook(posted), enabled: posted.isTicked('enabled') };
    const { done, problems } = await attempt(async () => deps.webhooks.create(c.get('viewer').caller, input));
    if (problems !== undefined) {
      const shown = { values: posted.values, events: input.events };
      return showPage(c, webhookForm(c, undefined, shown, besideField(problems, 'name')));
    }
    return deps.flashes.goTo(c, webhookPath(done), words.form.created(done.name));
  });
  routes.get(`${ONE}/edit`, async (c) => {
    const webhook = await webhookOf(deps, c);
    const { name, url, events } = webhook;
    return showPage(c, webhookForm(c, webhook, { values: { name, url }, events }));
  });
  routes.post(`${ONE}/edit`, async (c) => {
    const posted = await deps.posted.read(c);
    const webhook = await webhookOf(deps, c);
    const input = readWebhook(posted);
    const { done, problems } = await attempt(async () =>
      deps.webhooks.update(c.get('viewer').caller, webhook.id, input),
    );
    if (problems !== undefined) {
      const shown = { values: posted.values, events: input.events };
      return showPage(c, webhookForm(c, webhook, shown, besideField(problems, 'name')));
    }
    return deps.flashes.goTo(c, webhookPath(done), words.form.changed(done.name));
  });
}

function readWebhook(posted: Posted): { name: string; url: string; events: readonly string[] } {
  return { name: posted.text('name'), url: posted.text('url'), events: posted.all('events') };
}

function addActions(routes: Hono<DashboardEnv>, deps: DashboardDependencies): void {
  routes.post(`${ONE}/:verb{enable|disable}`, async (c) => {
    requireFresh(c, `${WEBHOOKS}/${c.req.param('id')}`);
    await deps.posted.read(c);
    const enabled = c.req.param('verb') === 'enable';
    const changed = await deps.webhooks.update(c.get('viewer').caller, c.req.param('id'), { enabled });
    const sentence = enabled ? words.form.enabled : words.form.disabled;
    return deps.flashes.goTo(c, webhookPath(changed), sentence(changed.name));
  });
  routes.post(`${ONE}/redeliver`, async (c) => {
    await deps.posted.read(c);
    const webhook = await webhookOf(deps, c);
    const events = await deps.deliveryLog.redeliverAll(c.get('viewer').caller, webhook.id, {});
    return deps.flashes.goTo(c, webhookPath(webhook), words.deliveries.allSent(count(events)));
  });
  routes.post(`${ONE}/deliveries/:delivery/redeliver`, async (c) => {
    await deps.posted.read(c);
    const sent = await deps.deliveryLog.redeliver(c.get('viewer').caller, c.req.param('delivery'));
    return deps.flashes.goTo(c, webhookPath({ id: sent.webhook_id }), words.deliveries.sent);
  });
}

async function webhookOf(
  { webhooks: service }: DashboardDependencies,
  c: DashboardContext,
): Promise<WebhookView> {
  return service.get(c.get('viewer').caller.environmentId, c.req.param('id') ?? '');
}
