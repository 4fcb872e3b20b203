/** Posted forms. They are accepted only from our own page in this browser, and each is carried out once. */
import { PageFailure } from '../../core/page-failure.ts';
import { ServiceError, violation, type FieldViolation } from '../../core/errors.ts';
import type { SpentForms } from '../../pages/frame/spent-forms.ts';
import type { DashboardContext } from '../frame/dashboard-context.ts';

/** Largest form: a tool's input of a few hundred kilobytes. */
const MAX_FORM_BYTES = 512 * 1024;

/** The form was already carried out: its `once` value is spent. */
export class RepeatedForm extends Error {
  override readonly name = 'RepeatedForm';
}

/** The fields of a posted form. */
export interface Posted {
  /** The last value of each field. Fields that were not sent are absent. */
  values: Readonly<Record<string, string>>;
  /** The value of a field without surrounding blanks; '' if it is absent. */
  text(name: string): string;
  /** All values of a repeated field, such as tick boxes. */
  all(name: string): readonly string[];
  /** Whether a tick box is ticked. */
  isTicked(name: string): boolean;
}

/** Reads and checks forms. Implemented by `PeopleForms` of the pages. */
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
   * The fields of the form. Reading them spends the form.
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

/** Error codes that are about the page, not about the entered values. */
const NOT_OF_THE_FORM: ReadonlySet<string> = new Set(['RESOURCE_NOT_FOUND', 'UNAUTHENTICATED']);

/**
 * Carries out the change that a form requests. A refusal becomes problems to show in the form; one without a field
 * is shown for the whole form.
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
