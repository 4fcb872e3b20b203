/** Posted forms: from our own page, by this browser, and each carried out once. */
import { PageFailure } from '../../core/page-failure.ts';
import { ServiceError, violation, type FieldViolation } from '../../core/errors.ts';
import type { SpentForms } from '../../pages/frame/spent-forms.ts';
import type { DashboardContext } from '../frame/dashboard-context.ts';

/** Largest form: a tool's input of a few hundred kilobytes. */
const MAX_FORM_BYTES = 512 * 1024;

/** A form with this `once` was carried out before. */
export class RepeatedForm extends Error {
  override readonly name = 'RepeatedForm';
}

/** What was typed. */
export interface Posted {
  /** The last value of each field; absent fields are absent. */
  values: Readonly<Record<string, string>>;
  /** A field's value without blanks around it; '' if it is absent. */
  text(name: string): string;
  /** All values of a repeated field, such as tick boxes. */
  all(name: string): readonly string[];
  /** Whether a tick box is ticked. */
  isTicked(name: string): boolean;
}

/** What reads forms; `PeopleForms` of the pages does. */
export interface FormReader {
  open(c: DashboardContext): { csrf: string };
  read(c: DashboardContext, maxBytes?: number): Promise<{ all: URLSearchParams }>;
}

interface PostedFormsDeps {
  forms: FormReader;
  spent: Pick<SpentForms, 'spend'>;
}

/** Reads the forms of the dashboard. */
export class PostedForms {
  readonly #deps: PostedFormsDeps;

  constructor(deps: PostedFormsDeps) {
    this.#deps = deps;
  }

  /**
   * The fields of the form, which is spent with this.
   *
   * @throws PageFailure of a form; RepeatedForm for a double click or a reload
   */
  async read(c: DashboardContext): Promise<Posted> {
    const { all } = await this.#deps.forms.read(c, MAX_FORM_BYTES);
    const post = await this.#deps.spent.spend(c.get('environment').id, all.get('once') ?? '');
    if (post === 'over') throw new PageFailure('form', 'csrf');
    if (post === 'repeated') throw new RepeatedForm('sent twice');
    const values = Object.fromEntries(all);
    return {
      values,
      text: (name) => (values[name] ?? '').trim(),
      all: (name) => all.getAll(name),
      isTicked: (name) => values[name] === 'true',
    };
  }
}

/** Codes of failures that are about the page, not about what was typed. */
const NOT_OF_THE_FORM: ReadonlySet<string> = new Set(['RESOURCE_NOT_FOUND', 'UNAUTHENTICATED']);

/**
 * Carries out what a form asks for. A refusal becomes problems to show in the form; without a field it is about
 * the form as a whole.
 */
export async function attempt<T>(
  work: () => Promise<T>,
): Promise<{ done: T; problems: undefined } | { done: undefined; problems: readonly FieldViolation[] }> {
  try {
    return { done: await work(), problems: undefined };
  } catch (error) {
    if (!(error instanceof ServiceError) || NOT_OF_THE_FORM.has(error.code)) throw error;
    const { violations, message, code } = error;
    return { done: undefined, problems: violations.length > 0 ? violations : [violation('', message, code)] };
  }
}
