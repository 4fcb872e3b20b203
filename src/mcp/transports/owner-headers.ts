/**
 * The owner whose accounts an MCP request uses: a machine sends one of two headers
 * (docs/contract.md#whose-accounts-mcp-uses).
 */
import type { IncomingHttpHeaders } from 'node:http';
import { inOrganization, ORGANIZATION_HEADER, requireOwnerInReach } from '../../accounts/account-finder.ts';
import { normalizeText, textViolations } from '../../core/text-rules.ts';
import { boundOrganizationOf, type Caller, type Owner } from '../../core/caller.ts';
import { invalidArgument, ServiceError, type FieldViolation } from '../../core/errors.ts';

const HEADERS = { user_id: 'gatehouse-user-id', organization_id: ORGANIZATION_HEADER } as const;
type OwnerField = keyof typeof HEADERS;

// oxlint-disable-next-line no-control-regex -- the whole of ASCII
const ASCII = /^[\u0000-\u007f]*$/;
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** The answer to a call without an owner header. */
export const MISSING_OWNER =
  'This token belongs to a machine. Say whose accounts to use: send the header gatehouse-user-id or ' +
  'gatehouse-organization-id with every request.';

/**
 * The owner named by the headers; `undefined` if they name none.
 *
 * @throws ServiceError INVALID_ARGUMENT for both headers at once, an empty value, more than 64 characters,
 * control characters or bytes that are not UTF-8
 */
export function ownerOfHeaders(headers: IncomingHttpHeaders): Owner | undefined {
  const violations: FieldViolation[] = [];
  const userId = headerText('user_id', headers, violations);
  const organizationId = headerText('organization_id', headers, violations);
  if (userId !== undefined && organizationId !== undefined) {
    violations.push({
      field: HEADERS.organization_id,
      description: `Send ${HEADERS.user_id} or ${HEADERS.organization_id}, not both: an account belongs to one of them.`,
      constraint: 'exclusive',
    });
  }
  if (violations.length > 0) throw invalidArgument(violations);
  if (userId === undefined && organizationId === undefined) return undefined;
  return { userId: userId ?? '', organizationId: organizationId ?? '' };
}

/**
 * The caller with the owner named by the headers.
 *
 * A token that already stands for a user may repeat that user, but may name no other owner except the
 * organization that the person acts for. A token bound to an organization stands for it if no header says so,
 * and for no other owner.
 *
 * @throws ServiceError INVALID_ARGUMENT as `ownerOfHeaders`; PERMISSION_DENIED for another owner
 */
export function withOwner(known: Caller, headers: IncomingHttpHeaders): Caller {
  const owner = ownerOfHeaders(headers);
  const caller = inOrganization(known, owner?.organizationId || undefined);
  const bound = boundOrganizationOf(caller);
  if (owner === undefined) {
    const isBound = caller.owner === undefined && bound !== undefined;
    return isBound ? { ...caller, owner: { userId: '', organizationId: bound } } : caller;
  }
  requireOwnerInReach(caller, owner);
  if (caller.owner === undefined) return { ...caller, owner };
  if (owner.userId === caller.owner.userId && owner.organizationId === caller.owner.organizationId)
    return caller;
  throw new ServiceError(
    'PERMISSION_DENIED',
    `This token already stands for one owner. Leave ${HEADERS.user_id} and ${HEADERS.organization_id} out.`,
  );
}

function headerText(
  field: OwnerField,
  headers: IncomingHttpHeaders,
  violations: FieldViolation[],
): string | undefined {
  const header = HEADERS[field];
  const raw = headers[header];
  if (raw === undefined) return undefined;
  const text = decodeUtf8(String(raw));
  if (text === undefined) {
    violations.push({ field: header, description: 'The value has to be UTF-8.', constraint: 'characters' });
    return undefined;
  }
  const value = normalizeText(text);
  const found = textViolations({ [field]: value });
  violations.push(
    ...found.map((v) => ({ ...v, field: header, description: v.description.replaceAll(field, header) })),
  );
  return value;
}

/** Node reads header bytes as Latin-1. */
function decodeUtf8(header: string): string | undefined {
  if (ASCII.test(header)) return header;
  try {
    return UTF8.decode(Buffer.from(header, 'latin1'));
  } catch {
    return undefined;
  }
}
