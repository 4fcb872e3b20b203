/**
 * Forms that are carried out once, however often a browser sends them: for a double click, a reload and the back
 * button. Each has a mark with the time of its page, and the first post of a mark is recorded until the form is too old
 * to be sent at all.
 */
import type { OAuthRecords } from '../../authorization-server/library/oauth-records.ts';
import type { Clock } from '../../core/clock.ts';
import { newSecret } from '../../core/ids.ts';

/** Longest time between opening a form and sending it: as long as a browser stays signed in at most. */
const FORM_MS = 12 * 3_600_000;

/** Clocks of two processes may differ by this much, so a form may seem to be of the future. */
const CLOCK_TOLERANCE_MS = 300_000;

/** Form of a mark: Unix milliseconds, and what tells apart the forms of a page. */
const MARK = /^(\d{1,15})\.[\w-]{20,100}$/;

/** What a post is: the first of its form, a repeated one, or of a form without a mark or too old. */
export type FormPost = 'first' | 'repeated' | 'over';

interface SpentFormsDeps {
  records: Pick<OAuthRecords, 'claim'>;
  clock: Clock;
}

/** The mark of a form that is shown now. @param now Unix milliseconds */
export function formMark(now: number): string {
  return `${now}.${newSecret()}`;
}

/** Spends marks, in all processes of the installation. */
export class SpentForms {
  readonly #deps: SpentFormsDeps;

  constructor(deps: SpentFormsDeps) {
    this.#deps = deps;
  }

  /** @throws ServiceError UNAVAILABLE if the database cannot be written: then the form is not spent */
  async spend(environmentId: string, mark: string): Promise<FormPost> {
    const shownAt = Number(MARK.exec(mark)?.[1] ?? 0);
    const age = this.#deps.clock.now() - shownAt;
    if (age < -CLOCK_TOLERANCE_MS || age >= FORM_MS) return 'over';
    const isFirst = await this.#deps.records.claim(
      { environmentId, model: 'Form', id: mark },
      FORM_MS + CLOCK_TOLERANCE_MS,
    );
    return isFirst ? 'first' : 'repeated';
  }
}
