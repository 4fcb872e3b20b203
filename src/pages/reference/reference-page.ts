/**
 * `/docs`: the REST API for people, rendered from `/openapi.json`. The document is the only source: the page says
 * nothing that it does not say. The page runs no script and loads nothing.
 */
import { html } from 'hono/html';
import { layout } from '../frame/layout.ts';
import { pageHeaders } from '../frame/page-response.ts';
import { breakable, type Html, type Text } from '../words/html.ts';
import { viewFor, type ShownEnvironment, type View } from '../words/words.ts';
import { bySubject, firstBody, type Addressed, type Content, type Description } from './description.ts';
import { fieldList, members, objectId, shapeOf, withCode } from './fields.ts';
import { sampleRequest } from './sample-request.ts';

/** Name of the object that every refusal of the API is. */
const ERROR = 'Error';

/** Rendered pages by document and language. A document stays the same until the process ends. */
const rendered = new WeakMap<object, Map<string, Promise<string>>>();

/** The answer for a browser. @param document `/openapi.json` of the environment */
export async function referencePage(
  document: object,
  acceptLanguage: string | undefined,
  environment: ShownEnvironment,
): Promise<Response> {
  const view = viewFor(acceptLanguage, environment);
  const pages = rendered.get(document) ?? new Map<string, Promise<string>>();
  rendered.set(document, pages);
  const page =
    pages.get(view.language) ?? Promise.resolve(pageOf(view, document as Description)).then(String);
  pages.set(view.language, page);
  const headers = { ...pageHeaders(environment.brand), 'content-type': 'text/html; charset=UTF-8' };
  return new Response(await page, { headers });
}

function pageOf(view: View, description: Description): Html {
  const words = view.words.reference;
  const { info, servers, components } = description;
  const subjects = [...bySubject(description)];
  return layout(view, {
    title: words.title,
    content: html`<div class="reference">
      <h1>${words.title}</h1>
      <p class="lead" lang="en">${info.description}</p>
      <dl>
        <div>
          <dt>${words.address}</dt>
          <dd><code>${breakable(servers[0]?.url ?? '')}</code></dd>
        </div>
        <div>
          <dt>${words.version}</dt>
          <dd>${info.version}</dd>
        </div>
        <div>
          <dt>${words.forPrograms}</dt>
          <dd><a href="/openapi.json">/openapi.json</a></dd>
        </div>
      </dl>
      ${access(description, view)} ${refusals(subjects, view)}
      ${subjects.map(
        ([subject, operations]) =>
          html`<h2 lang="en">${subject}</h2>
            ${operations.map((operation) => operationPart(operation, description, view))}`,
      )}
      <h2>${words.objects}</h2>
      ${Object.entries(components.schemas).map(([name, schema]) =>
        folded(
          objectId(name),
          html`<h3>${name}</h3>`,
          html`${schema.description === undefined ? '' : html`<p lang="en">${withCode(schema.description)}</p>`}
          ${members(schema, words)}`,
        ),
      )}
    </div>`,
  });
}

/** The ways in which callers authenticate, and all scopes. */
function access({ components }: Description, { words: { reference: words } }: View): Html {
  return html`<h2>${words.access}</h2>
    ${Object.values(components.securitySchemes).map(
      ({ description, flows }) =>
        html`<p lang="en">${withCode(description)}</p>
          <ul class="fields">
            ${Object.entries(flows.clientCredentials.scopes).map(
              ([scope, meaning]) =>
                html`<li>
                  <code>${scope}</code>
                  <p lang="en">${meaning}</p>
                </li>`,
            )}
          </ul>`,
    )}`;
}

/** The meaning of each status of a refusal, once for all operations. */
function refusals(subjects: readonly (readonly [string, readonly Addressed[]])[], view: View): Html {
  const words = view.words.reference;
  const meanings = new Map(
    subjects.flatMap(([, operations]) =>
      operations.flatMap(({ operation }) =>
        refusedOf(operation.responses)
          .filter(([, { content }]) => firstBody(content)?.schema.$ref !== undefined)
          .map(([status, { description }]) => [status, description] as const),
      ),
    ),
  );
  return html`<h2>${words.refusals}</h2>
    <p>${words.refusalsAre} <a href="#${objectId(ERROR)}">${ERROR}</a></p>
    <ul class="fields">
      ${[...meanings]
        .toSorted(([a], [b]) => a.localeCompare(b))
        .map(
          ([status, meaning]) =>
            html`<li>
              <code>${status}</code>
              <p lang="en">${withCode(meaning)}</p>
            </li>`,
        )}
    </ul>`;
}

/** A part that is closed at first. Browsers open it, also without a script, if a link leads to its content. */
function folded(id: string, summary: Html, content: Html): Html {
  return html`<details>
    <summary>${summary}</summary>
    <div id="${id}">${content}</div>
  </details>`;
}

function operationPart(addressed: Addressed, description: Description, view: View): Html {
  const { method, path, operation } = addressed;
  const words = view.words.reference;
  const { operationId, summary, security, parameters = [], requestBody, responses } = operation;
  const fields = (place: string) =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map((parameter) => ({ ...parameter, isRequired: parameter.required === true }));
  return folded(
    operationId,
    html`<h3><b>${method}</b> <code>${breakable(path)}</code></h3>
      <small lang="en">${withCode(summary)}</small>`,
    html` ${operation.description === undefined ? '' : html`<p lang="en">${withCode(operation.description)}</p>`}
      <p>${words.scope}: ${scopesOf(security, words)}</p>
      <pre tabindex="0" role="region" aria-label="${words.sample}: ${operationId}"><code>${sampleRequest(
        addressed,
        description,
      )}</code></pre>
      ${(['path', 'query', 'header'] as const).map((place) =>
        part(words.places[place], fieldList(fields(place), words)),
      )}
      ${part(words.body, bodyPart(requestBody?.content, words))}
      ${Object.entries(responses).map(([status, { content }]) =>
        isRefusal(status) ? '' : part(`${words.answer} ${status}`, bodyPart(content, words)),
      )}
      <p>
        ${words.refusals}: ${refusedOf(responses).map(([status], n) => html`${n === 0 ? '' : ', '}${status}`)}
      </p>`,
  );
}

/** A heading with its content; nothing if the content is empty. */
function part(heading: string, content: Text): Text {
  if (content === '') return '';
  return html`<h4>${heading}</h4>
    ${content}`;
}

function bodyPart(content: Content | undefined, words: View['words']['reference']): Text {
  const body = firstBody(content);
  if (body === undefined) return '';
  return html`${body.mediaType === 'application/json' ? '' : html`<p><code>${body.mediaType}</code></p>`}
  ${shapeOf(body.schema, words)}`;
}

/** All ways to be allowed to call an operation. */
function scopesOf(security: Addressed['operation']['security'], words: View['words']['reference']): Html {
  if (security.length === 0) return html`${words.none}`;
  const ways = security.map(({ clientCredentials: scopes }) =>
    scopes === undefined ? words.onTheMachine : html`<code>${scopes.join(' ')}</code>`,
  );
  return html`${ways.map((way, n) => html`${n === 0 ? '' : ' | '}${way}`)}`;
}

type Responses = Addressed['operation']['responses'];

function refusedOf(responses: Responses): [string, Responses[string]][] {
  return Object.entries(responses).filter(([status]) => isRefusal(status));
}

function isRefusal(status: string): boolean {
  return status >= '400';
}
