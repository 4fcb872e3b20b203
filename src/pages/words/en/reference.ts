/** English words of the reference of the REST API. Texts of the API itself are always English. */

/** Words of `src/pages/reference`. */
export const reference = {
  title: 'REST API',
  address: 'Address',
  version: 'Version',
  forPrograms: 'For programs',
  access: 'Access',
  scope: 'Scope',
  none: 'none, and no token',
  onTheMachine: 'none on the machine itself',
  sample: 'Sample request',
  places: { path: 'Path', query: 'Query', header: 'Header' },
  body: 'Body',
  answer: 'Answer',
  refusals: 'Refusals',
  refusalsAre: 'The body of a refusal is:',
  objects: 'Objects',
  required: 'required',
  default: 'default',
  listOf: 'list',
  kinds: {
    any: 'any value',
    string: 'text',
    integer: 'whole number',
    number: 'number',
    boolean: 'true or false',
    object: 'object',
    null: 'null',
  } as Readonly<Record<string, string>>,
  characters: (least: number, most: number) =>
    least === 0 ? `at most ${most} characters` : `${least} to ${most} characters`,
  range: (least: number, most: number) => `${least} to ${most}`,
  atMost: (most: number) => `at most ${most}`,
};
