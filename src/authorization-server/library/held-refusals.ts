/**
 * Refusals of an authorization request before the user has answered: shown on our own page, not redirected.
 *
 * Every app here registered itself or published a document about itself, with any redirect URI it likes. A deliberately
 * wrong request could make us an open redirect to any site. So only a click of the user leads there, and the page shows
 * where. `prompt=none` is no exception. It is always refused, so an honest app gains nothing by it, and an attack needs
 * just such a redirect without a click.
 *
 * @see RFC 9700 section 4.11.2
 */
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { Environment } from '../../core/environment.ts';
import { INTERACTION_PATH, type ProblemPage } from './people-configuration.ts';

/** A refusal as the library words it. */
interface Refusal {
  error: string;
  description: string;
}

/** Shows our own page instead of a redirect to another site that no user action caused. */
export function holdRefusals(
  provider: Provider,
  { problemPage, environment }: { problemPage: ProblemPage; environment: Environment },
): void {
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
    ctx.body = await problemPage(ctx.res, { ...refusal, wayBack }, environment);
  });
}

/** Whether the user has answered the waiting request. */
function isAnswered({ oidc }: KoaContextWithOIDC): boolean {
  return oidc.entities.Interaction?.result !== undefined;
}
