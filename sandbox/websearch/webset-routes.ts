/** Routes of websets and everything that belongs to one: items, searches, enrichments, monitors. */
import { Hono } from 'hono';
import type { Monitors } from './monitors.ts';
import { check, readBody } from './request-body.ts';
import {
  createWebsetRequest,
  enrichmentRequest,
  monitorRequest,
  monitorsQuery,
  pageQuery,
  previewRequest,
  updateEnrichmentRequest,
  updateMonitorRequest,
  updateWebsetRequest,
  websetSearchRequest,
} from './requests.ts';
import type { Websets } from './websets.ts';

/** Routes below `/websets/v0`. */
export function websetRoutes(websets: Websets, monitors: Monitors): Hono {
  const routes = new Hono();
  routes.post('/websets', async (c) => c.json(websets.create(await readBody(c, createWebsetRequest)), 201));
  routes.get('/websets', (c) => c.json(websets.list(check(pageQuery(25), c.req.query()))));
  routes.post('/websets/preview', async (c) => c.json(websets.preview(await readBody(c, previewRequest))));
  routes.get('/websets/:id', (c) =>
    c.json(websets.get(c.req.param('id'), c.req.queries('expand')?.includes('items') ?? false)),
  );
  routes.post('/websets/:id', async (c) =>
    c.json(websets.update(c.req.param('id'), await readBody(c, updateWebsetRequest))),
  );
  routes.delete('/websets/:id', (c) => c.json(websets.remove(c.req.param('id'))));
  routes.post('/websets/:id/cancel', (c) => c.json(websets.cancel(c.req.param('id'))));

  routes.get('/websets/:id/items', (c) =>
    c.json(websets.items(c.req.param('id'), check(pageQuery(20), c.req.query()))),
  );
  routes.get('/websets/:id/items/:item', (c) => c.json(websets.item(c.req.param('id'), c.req.param('item'))));
  routes.delete('/websets/:id/items/:item', (c) =>
    c.json(websets.removeItem(c.req.param('id'), c.req.param('item'))),
  );

  routes.post('/websets/:id/searches', async (c) =>
    c.json(websets.createSearch(c.req.param('id'), await readBody(c, websetSearchRequest))),
  );
  routes.get('/websets/:id/searches/:part', (c) =>
    c.json(websets.search(c.req.param('id'), c.req.param('part'))),
  );
  routes.post('/websets/:id/searches/:part/cancel', (c) =>
    c.json(websets.cancelSearch(c.req.param('id'), c.req.param('part'))),
  );

  routes.post('/websets/:id/enrichments', async (c) =>
    c.json(websets.createEnrichment(c.req.param('id'), await readBody(c, enrichmentRequest))),
  );
  routes.get('/websets/:id/enrichments/:part', (c) =>
    c.json(websets.enrichment(c.req.param('id'), c.req.param('part'))),
  );
  routes.patch('/websets/:id/enrichments/:part', async (c) =>
    c.json(
      websets.updateEnrichment(
        c.req.param('id'),
        c.req.param('part'),
        await readBody(c, updateEnrichmentRequest),
      ),
    ),
  );
  routes.delete('/websets/:id/enrichments/:part', (c) =>
    c.json(websets.removeEnrichment(c.req.param('id'), c.req.param('part'))),
  );
  routes.post('/websets/:id/enrichments/:part/cancel', (c) =>
    c.json(websets.cancelEnrichment(c.req.param('id'), c.req.param('part'))),
  );

  routes.post('/monitors', async (c) => {
    const request = await readBody(c, monitorRequest);
    const websetId = websets.find(request.websetId).id;
    return c.json(monitors.create({ ...request, websetId }), 201);
  });
  routes.get('/monitors', (c) => c.json(monitors.list(check(monitorsQuery, c.req.query()))));
  routes.get('/monitors/:id', (c) => c.json(monitors.get(c.req.param('id'))));
  routes.patch('/monitors/:id', async (c) =>
    c.json(monitors.update(c.req.param('id'), await readBody(c, updateMonitorRequest))),
  );
  routes.delete('/monitors/:id', (c) => c.json(monitors.remove(c.req.param('id'))));
  return routes;
}
