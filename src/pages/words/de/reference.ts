/** German words of the reference of the REST API. */
import type { reference as english } from '../en/reference.ts';

/** Words of `src/pages/reference`. */
export const reference: typeof english = {
  title: 'REST-API',
  address: 'Adresse',
  version: 'Version',
  forPrograms: 'Für Programme',
  access: 'Zugang',
  scope: 'Scope',
  none: 'keiner, und kein Token',
  onTheMachine: 'keiner auf dem Rechner selbst',
  sample: 'Beispiel',
  places: { path: 'Pfad', query: 'Query', header: 'Header' },
  body: 'Body',
  answer: 'Antwort',
  refusals: 'Ablehnungen',
  refusalsAre: 'Der Body einer Ablehnung ist:',
  objects: 'Objekte',
  required: 'erforderlich',
  default: 'Vorgabe',
  listOf: 'Liste',
  kinds: {
    any: 'beliebiger Wert',
    string: 'Text',
    integer: 'ganze Zahl',
    number: 'Zahl',
    boolean: 'wahr oder falsch',
    object: 'Objekt',
    null: 'null',
  },
  characters: (least, most) => (least === 0 ? `höchstens ${most} Zeichen` : `${least} bis ${most} Zeichen`),
  range: (least, most) => `${least} bis ${most}`,
  atMost: (most) => `höchstens ${most}`,
};
