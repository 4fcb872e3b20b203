/** Records which forms were carried out, for the pages of people and the dashboard. */
import { OAuthRecords } from '../../../authorization-server/library/oauth-records.ts';
import { SpentForms } from '../../../pages/frame/spent-forms.ts';
import type { Services } from '../../services/services.ts';

/** Makes one for a set of pages. All share their records, which are in the database. */
export function spentForms({ db, vault, clock }: Pick<Services, 'db' | 'vault' | 'clock'>): SpentForms {
  return new SpentForms({ records: new OAuthRecords({ database: db, vault, clock }), clock });
}
