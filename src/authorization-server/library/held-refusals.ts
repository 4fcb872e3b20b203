/**
 * Refusals of an authorization request before the person has answered: shown on a page of ours instead of a redirect.
 *
 * Every app here has registered itself or published a document about itself, with whatever redirect URI it likes. Sent
 * there by a request that is wrong on purpose, a browser would come from our address to a page of anybody's. So nobody
 * goes there who did not press something here: the page says where its link leads. `prompt=none` is no exception: it is
 * always refused, so an honest app gains nothing by it, and a redirect that needs no person is what the attack is after.
 *
 * @see RFC 9700 section 4.11.2
 */
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { INTERACTION_PATH, type ProblemPage } from './people-configuration.ts';

/** What the library says of a refusal. */
interface Refusal {
  error: string;
  description: string;
}

/** Puts the page in the place of every redirect away from here that no answer of a person has led to. */
export function holdRefusals(provider: Provider, problemPage: ProblemPage): void {
  const refusals = new WeakMap<KoaContextWithOIDC, Refusal>();
  provider.on('authorization.error', (ctx, { message, error_description: description = '' }) => {
    refusals.set(ctx, { error: message, description });
  });
  provider.use(async (plain, next) => {
    await next();
    const ctx = plain as KoaContextWithOIDC;
    const wayBack = ctx.res.getHeader('location');
    if (typeof wayBack !== 'string' || wayBack.startsWith(INTERACTION_PATH) || isAnswered(ctx)) return;
    const refusal = refusals.get(ctx) ?? { error: 'server_error', description: '' };
    ctx.remove('location');
    ctx.status = 400;
    ctx.type = 'html';
    ctx.body = await problemPage(ctx.res, { ...refusal, wayBack });
  });
}

/** Whether the request that waited has the person's answer. */
function isAnswered({ oidc }: KoaContextWithOIDC): boolean {
  return oidc.entities.Interaction?.result !== undefined;
}
