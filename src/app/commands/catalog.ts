/** `gatehouse catalog check`: checks the shipped catalog folder and others. */
import { checkCatalog, type CatalogCheck } from '../../catalog/index.ts';
import { handlers } from '../../connectors/index.ts';
import { shippedCatalogDir } from '../services/installed-catalog.ts';

export type { CatalogCheck };

/** Checks the shipped catalog together with `dirs`, as a start would load them. */
export function checkCatalogFiles(dirs: readonly string[]): CatalogCheck {
  return checkCatalog([shippedCatalogDir(), ...dirs], { handlers: new Set(handlers.keys()) });
}
