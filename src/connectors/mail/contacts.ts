/**
 * The tools that search or write contacts and people.
 *
 * @see https://learn.microsoft.com/en-us/graph/api/resources/contact
 * @see https://learn.microsoft.com/en-us/graph/api/user-list-people
 */
import { pathSegment, pathViolations } from '../../catalog/call/request.ts';
import type { JsonObject, ToolHandler } from '../../catalog/model/types.ts';
import { violation, type FieldViolation } from '../../core/errors.ts';
import type { ToolInputs } from '../inputs/mail.ts';
import { get, given, patch, post, queryOf, refusalStatus } from '../provider-call.ts';
import { emailAddress } from './email-address.ts';
import { emptyChange } from './empty-change.ts';
import { quotedSearch } from './search-messages.ts';

const MEMBERS =
  'id,displayName,givenName,surname,emailAddresses,companyName,jobTitle,businessPhones,mobilePhone';

/** Names of a contact that are compared in a search without `$search`. */
const NAMES = ['displayName', 'givenName', 'surname'];

/**
 * Searches contacts. Graph accepts `$search` for contacts although it does not document it; if it refuses, the
 * beginning of a name is compared.
 */
export const searchContacts: ToolHandler<ToolInputs['mail_search_contacts']> = {
  call: async ({ input: { query, top }, http }) => {
    const search = async (options: JsonObject): Promise<unknown> =>
      http.send(get('/v1.0/me/contacts', queryOf({ ...options, $select: MEMBERS, $top: top })));
    try {
      return await search({ $search: quotedSearch(query) });
    } catch (error) {
      if (refusalStatus(error) !== 400) throw error;
      const text = query.replaceAll("'", "''");
      return search({ $filter: NAMES.map((name) => `startswith(${name},'${text}')`).join(' or ') });
    }
  },
};

export const searchPeople: ToolHandler<ToolInputs['mail_search_people']> = {
  call: async ({ input: { query, top }, http }) =>
    http.send(get('/v1.0/me/people', queryOf({ $search: quotedSearch(query), $top: top }))),
};

export const createContact: ToolHandler<ToolInputs['mail_create_contact']> = {
  check: (input) => contactBody(input).violations,
  call: async ({ input, http }) => http.send(post('/v1.0/me/contacts', contactBody(input).body)),
};

export const updateContact: ToolHandler<ToolInputs['mail_update_contact']> = {
  check: ({ contact_id, ...changes }) => [
    ...pathViolations(contact_id, 'contact_id'),
    ...contactBody(changes).violations,
    ...emptyChange(changes, 'contact_id'),
  ],
  call: async ({ input, http }) => {
    const { contact_id: id, ...changes } = input;
    return http.send(patch(`/v1.0/me/contacts/${pathSegment(id, 'contact_id')}`, contactBody(changes).body));
  },
};

/** A contact as Graph takes it, without invalid addresses, and all violations. */
function contactBody(input: Partial<ToolInputs['mail_create_contact']>): {
  body: JsonObject;
  violations: FieldViolation[];
} {
  const violations: FieldViolation[] = [];
  const emailAddresses = input.email_addresses?.flatMap((entry, i) => {
    const address = emailAddress(entry);
    if (address !== undefined) return [address];
    const description = 'Must be an email address, such as ada@example.com.';
    violations.push(violation(`email_addresses[${i}]`, description, 'format'));
    return [];
  });
  const body = given({
    givenName: input.given_name,
    surname: input.surname,
    companyName: input.company_name,
    jobTitle: input.job_title,
    emailAddresses,
    businessPhones: input.business_phones,
    mobilePhone: input.mobile_phone,
    personalNotes: input.personal_notes,
  });
  return { body, violations };
}
