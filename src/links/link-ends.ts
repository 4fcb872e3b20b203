/** The ends of a link that connect nothing more: the person declines, or sees what the link has connected. */
import { catalogIn } from '../catalog/model/environment-catalog.ts';
import type { SealedDetails } from '../accounts/sealed-details.ts';
import { appendEvent } from '../accounts/status-change.ts';
import type { Catalog } from '../catalog/model/types.ts';
import { PageFailure } from '../core/page-failure.ts';
import { AccountStore } from '../store/accounts/account-store.ts';
import { AuthRequestStore } from '../store/accounts/auth-request-store.ts';
import { LinkStore } from '../store/accounts/link-store.ts';
import { csrfMatches } from './csrf.ts';
import { markedLink } from './done-marks.ts';
import { usableLink, type LinkSources } from './usable-link.ts';

/** The facts on our final page. */
export interface ConnectedAccount {
  connectorTitle: string;
  /** The provider's name for the account; null if unknown. */
  displayName: string | null;
  /** First questions that people may ask an agent. */
  prompts: readonly string[];
}

interface LinkEndsDeps extends LinkSources {
  catalog: Catalog;
  sealed: Pick<SealedDetails, 'openName'>;
  csrfKey: Buffer;
}

export class LinkEnds {
  readonly #deps: LinkEndsDeps;

  constructor(deps: LinkEndsDeps) {
    this.#deps = deps;
  }

  /**
   * The account that a browser has connected, by the mark of `submit`, a callback or a confirmation; `undefined`
   * for an invalid mark. An account that already works does not count if somebody else entered unverified
   * credentials for it.
   */
  async connected(
    environmentId: string,
    mark: string | undefined,
    browser: string | undefined,
  ): Promise<ConnectedAccount | undefined> {
    const id = markedLink(this.#deps.csrfKey, mark, browser);
    const { read } = this.#deps.db;
    const link = id === undefined ? undefined : await new LinkStore(read).findById(environmentId, id);
    if (link === undefined) return undefined;
    const request = await new AuthRequestStore(read).findByLink(environmentId, link.id);
    if (request !== undefined && request.endedBy !== 'verified') return undefined;
    const row = await new AccountStore(read).find({ environmentId }, link.accountId);
    const connector = catalogIn(this.#deps.catalog, environmentId).connectors.get(
      row?.connection.connector ?? '',
    );
    if (row?.status !== 'ACTIVE' || connector === undefined) return undefined;
    const displayName = await this.#deps.sealed.openName(row);
    return { connectorTitle: connector.title, displayName, prompts: connector.prompts ?? [] };
  }

  /**
   * The person declines to connect the account: the link ends, and the status stays. An account that works is not
   * refused with that, only what this link asked for.
   *
   * @param csrf of the page's form
   * @throws PageFailure of a link
   */
  async decline(
    environmentId: string,
    token: string,
    browser: string | undefined,
    csrf: string | undefined,
  ): Promise<void> {
    const { link, row } = await usableLink(this.#deps, environmentId, token);
    if (!csrfMatches(this.#deps.csrfKey, link.id, browser, csrf)) throw new PageFailure('link', 'csrf');
    await this.#deps.db.transaction(async (tx) => {
      const now = this.#deps.clock.now();
      if (!(await new LinkStore(tx).decline(environmentId, link.id, now)))
        throw new PageFailure('link', 'used');
      const accounts = new AccountStore(tx);
      const current = await accounts.find({ environmentId }, row.id);
      if (current === undefined) throw new PageFailure('link', 'unknown');
      const { status } = current;
      if (status !== 'ACTIVE') await accounts.update(environmentId, row.id, { declined_at: now });
      await appendEvent(tx, current, { from: status, to: status, cause: 'declined', actor: 'link', now });
    });
  }
}
