/**
 * Makes sure that a form is carried out once, even if it is sent again by a double click, a reload or the back
 * button.
 *
 * Each form has a mark with the time of its page. The first post of a mark is recorded until the form is too old to
 * be sent.
 */
import type { OAuthRecords } from '../../authorization-server/library/oauth-records.ts';
import type { Clock } from '../../core/clock.ts';
import { newSecret } from '../../core/ids.ts';

/** Longest time between opening a form and sending it: the longest time that a browser stays signed in. */
const FORM_MS = 12 * 3_600_000;

/** Longest difference between the clocks of two processes, by which a form may seem to be from the future. */
const CLOCK_TOLERANCE_MS = 300_000;

/** Format of a mark: Unix milliseconds, and random characters that distinguish the forms of a page. */
const MARK = /^(\d{1,15})\.[\w-]{20,100}$/;

/** Kind of a post: the first of its form, a repeated one, or one whose form has no mark or is too old. */
export type FormPost = 'first' | 'repeated' | 'over';

interface SpentFormsDeps {
  records: Pick<OAuthRecords, 'claim'>;
  clock: Clock;
}

/** The mark of a new form. @param now Unix milliseconds */
export function formMark(now: number): string {
  return `${now}.${newSecret()}`;
}

/** Records spent marks, for all processes of the installation. */
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
