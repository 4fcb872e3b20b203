/** Lets a Hono app answer on node's objects and read the context that the listener made. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener, RequestError } from '@hono/node-server';
import { invalidField } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { errorAnswer, toResponse } from './error-response.ts';
import type { NodeHandler, RequestContext } from './request-context.ts';

/** The content of `c.env` in a Hono app. */
export interface HttpBindings {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  context: RequestContext;
}

/** @param fetch a Hono app's `fetch` */
export function honoHandler(
  fetch: (request: Request, bindings: HttpBindings) => Response | Promise<Response>,
  log: Log,
): NodeHandler {
  const contexts = new WeakMap<IncomingMessage, RequestContext>();
  const listener = getRequestListener(
    (request, bindings) => {
      const { incoming, outgoing } = bindings as HttpBindings;
      const context = contexts.get(incoming);
      if (context === undefined) throw new Error('a request reached hono beside the listener');
      return fetch(request, { incoming, outgoing, context });
    },
    {
      overrideGlobalObjects: false,
      errorHandler: (error) => {
        const shown =
          error instanceof RequestError
            ? invalidField('', 'The address of this request is not valid.', 'url')
            : error;
        return toResponse(errorAnswer(shown, {}, log));
      },
    },
  );
  return async (request, response, context) => {
    contexts.set(request, context);
    await listener(request, response);
  };
}
