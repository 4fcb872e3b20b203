/**
 * `/operator/<token>`: a link that somebody on the machine obtained. It makes the first operator, or signs an
 * operator in.
 *
 * Only the button spends the link, once the sign-in is allowed; previews, prefetches and other requests for the
 * page do not. Rules are in OperatorLinks.
 */
import { Hono } from 'hono';
import { html } from 'hono/html';
import { emailViolations, normalizeEmail } from '../../core/email-address.ts';
import type { OperatorLinkOffer } from '../../people/sign-in/operator-links.ts';
import { layout } from '../frame/layout.ts';
import { messagePage } from '../frame/message-pages.ts';
import {
  onlyVisits,
  sendPage,
  sendRedirect,
  viewOf,
  type PageContext,
  type PageVariables,
} from '../frame/page-response.ts';
import type { Html } from '../words/html.ts';
import type { View } from '../words/words.ts';
import type { PeopleDependencies } from './people-dependencies.ts';
import { formProblems, hidden, inputField } from './people-fields.ts';
import { MAX_EMAIL_LENGTH } from './sign-in-pages.ts';
import { HOME } from './sign-in-path.ts';
import { rememberSession, signingIn } from './sign-in-session.ts';

/** Throws PageFailure and ServiceError to the caller's error page. */
export function operatorLinkRoutes(deps: PeopleDependencies): Hono<{ Variables: PageVariables }> {
  const { forms, operatorLinks, people } = deps;
  const routes = new Hono<{ Variables: PageVariables }>();

  routes.get('/operator/:token', onlyVisits, async (c) => {
    const offer = await operatorLinks.find(c.get('environment').id, c.req.param('token'));
    return offer === undefined ? over(c) : show(c, offer);
  });

  routes.post('/operator/:token', async (c) => {
    const { fields } = await forms.read(c);
    const { id } = c.get('environment');
    const token = c.req.param('token');
    const offer = await operatorLinks.find(id, token);
    if (offer === undefined) return over(c);
    const email = offer.email ?? normalizeEmail((fields.email ?? '').trim());
    if (email === undefined) return show(c, offer, fields.email);
    const { ip } = c.get('visitor');
    const userId = await operatorLinks.person(id, token, { email, ip });
    if (userId === undefined) return over(c);
    // A policy may refuse the sign-in, and then the link is not spent.
    const at = signingIn(c);
    const started = await people.byOperatorLink(at, userId);
    if (!(await operatorLinks.use(id, token, { userId, ip }))) {
      await people.signOut({ ...at, cookie: started.cookie });
      return over(c);
    }
    rememberSession(c, started);
    return sendRedirect(c, HOME);
  });

  /** @param entered the entered text that is not a valid address; absent at first */
  function show(c: PageContext, offer: OperatorLinkOffer, entered?: string): Response | Promise<Response> {
    const { name } = c.get('environment');
    const page = { csrf: forms.open(c).csrf, path: c.req.path, environmentName: name, offer, entered };
    return sendPage(c, operatorLinkPage(viewOf(c), page), {
      status: entered === undefined ? 200 : 400,
      form: { leadsTo: [] },
    });
  }
  return routes;
}

function over(c: PageContext): Response | Promise<Response> {
  const view = viewOf(c);
  return sendPage(c, messagePage(view, view.words.signIn.operatorLink.over), { status: 410 });
}

function operatorLinkPage(
  view: View,
  page: {
    csrf: string;
    path: string;
    environmentName: string;
    offer: OperatorLinkOffer;
    entered: string | undefined;
  },
): Html {
  const { signIn } = view.words;
  const { email } = page.offer;
  const words = email === undefined ? signIn.operatorLink.first : signIn.operatorLink.known;
  const violations = page.entered === undefined ? [] : emailViolations('email', page.entered);
  return layout(view, {
    title: words.title,
    hasProblems: violations.length > 0,
    content: html`
      <h1>${words.title}</h1>
      <p class="lead">
        ${
          email === undefined
            ? signIn.operatorLink.first.lead(page.environmentName)
            : signIn.operatorLink.known.lead(email)
        }
      </p>
      ${formProblems(signIn, violations, { email: signIn.email })}
      <form method="post" action="${page.path}">
        ${hidden({ csrf: page.csrf })}
        ${
          email === undefined
            ? inputField(
                signIn,
                {
                  name: 'email',
                  label: signIn.email,
                  type: 'email',
                  autocomplete: 'email',
                  value: page.entered ?? '',
                  maxLength: MAX_EMAIL_LENGTH,
                  isFirst: true,
                },
                violations,
              )
            : ''
        }
        <button type="submit">${words.button}</button>
      </form>
    `,
    footer: signIn.operatorLink.once,
  });
}
