/**
 * The objects of every workspace, with their attributes, and functions that create further objects and lists.
 */
import { stableUuid, WORKSPACE, type Actor, type CrmList, type CrmObject } from './model.ts';
import type { NewAttribute, Workspace } from './workspace.ts';

/** Names of an object. */
export interface ObjectNames {
  slug: string;
  singular: string;
  plural: string;
  isCustom: boolean;
}

const references = (...slugs: string[]) => ({
  type: 'record-reference' as const,
  allowedObjectIds: slugs.map(objectId),
});

/** Attributes that the system maintains for every record and entry. */
const SYSTEM_ATTRIBUTES: readonly NewAttribute[] = [
  { slug: 'created_at', title: 'Created at', type: 'timestamp', isSystem: true },
  { slug: 'created_by', title: 'Created by', type: 'actor-reference', isSystem: true },
];

const STANDARD: readonly (readonly [names: string, attributes: readonly NewAttribute[]])[] = [
  [
    'people Person People',
    [
      { slug: 'name', title: 'Name', type: 'personal-name' },
      {
        slug: 'email_addresses',
        title: 'Email addresses',
        type: 'email-address',
        isUnique: true,
        isMultiselect: true,
      },
      { slug: 'phone_numbers', title: 'Phone numbers', type: 'phone-number', isMultiselect: true },
      { slug: 'job_title', title: 'Job title', type: 'text' },
      { slug: 'description', title: 'Description', type: 'text' },
      { slug: 'company', title: 'Company', ...references('companies') },
      { slug: 'primary_location', title: 'Primary location', type: 'location' },
      { slug: 'last_interaction', title: 'Last interaction', type: 'interaction', isSystem: true },
    ],
  ],
  [
    'companies Company Companies',
    [
      { slug: 'name', title: 'Name', type: 'text' },
      { slug: 'domains', title: 'Domains', type: 'domain', isUnique: true, isMultiselect: true },
      { slug: 'description', title: 'Description', type: 'text' },
      {
        slug: 'categories',
        title: 'Categories',
        type: 'select',
        isMultiselect: true,
        options: ['Energy', 'Robotics', 'Software', 'Research', 'Publishing', 'Hospitality'],
      },
      { slug: 'team', title: 'Team', isMultiselect: true, ...references('people') },
      { slug: 'primary_location', title: 'Primary location', type: 'location' },
      {
        slug: 'employee_range',
        title: 'Employee range',
        type: 'select',
        options: ['1-10', '11-50', '51-250', '251-1K'],
      },
      { slug: 'foundation_date', title: 'Foundation date', type: 'date' },
    ],
  ],
  [
    'deals Deal Deals',
    [
      { slug: 'name', title: 'Deal name', type: 'text', isRequired: true },
      {
        slug: 'stage',
        title: 'Deal stage',
        type: 'status',
        isRequired: true,
        statuses: ['Lead', 'In Progress', 'Won 🎉', 'Lost'],
        defaultStatus: 'Lead',
      },
      { slug: 'owner', title: 'Deal owner', type: 'actor-reference' },
      {
        slug: 'value',
        title: 'Deal value',
        type: 'currency',
        currency: { default_currency_code: 'EUR', display_type: 'symbol' },
      },
      { slug: 'associated_people', title: 'Associated people', isMultiselect: true, ...references('people') },
      { slug: 'associated_company', title: 'Associated company', ...references('companies') },
    ],
  ],
  [
    'users User Users',
    [
      { slug: 'user_id', title: 'User ID', type: 'text', isRequired: true, isUnique: true },
      { slug: 'primary_email_address', title: 'Primary email address', type: 'email-address' },
      { slug: 'person', title: 'Person', ...references('people') },
      { slug: 'workspace', title: 'Workspace', isMultiselect: true, ...references('workspaces') },
    ],
  ],
  [
    'workspaces Workspace Workspaces',
    [
      { slug: 'workspace_id', title: 'Workspace ID', type: 'text', isRequired: true, isUnique: true },
      { slug: 'name', title: 'Name', type: 'text' },
      { slug: 'users', title: 'Users', isMultiselect: true, ...references('users') },
      { slug: 'company', title: 'Company', ...references('companies') },
    ],
  ],
];

/**
 * Adds people, companies, deals, users and workspaces, without records. @param at time in the form of answers
 */
export function addStandardObjects(workspace: Workspace, at: string): void {
  for (const [names, attributes] of STANDARD) {
    const [slug = '', singular = '', plural = ''] = names.split(' ');
    addObject(workspace, { slug, singular, plural, isCustom: false }, attributes, at);
  }
}

/** @param at time in the form of answers */
export function addObject(
  workspace: Workspace,
  names: ObjectNames,
  attributes: readonly NewAttribute[],
  at: string,
): CrmObject {
  const object: CrmObject = {
    kind: 'objects',
    id: objectId(names.slug),
    ...names,
    createdAt: at,
    attributes: [],
    options: new Map(),
    statuses: new Map(),
  };
  workspace.objects.push(object);
  for (const attribute of [...attributes, ...SYSTEM_ATTRIBUTES])
    workspace.addAttribute(object, attribute, at);
  return object;
}

/** Adds an empty list. */
export function addList(
  workspace: Workspace,
  list: Pick<
    CrmList['shown'],
    'name' | 'api_slug' | 'parent_object' | 'workspace_access' | 'workspace_member_access'
  >,
  attributes: readonly NewAttribute[],
  made: { actor: Actor; at: string },
): CrmList {
  const id = stableUuid('list', list.api_slug);
  const added: CrmList = {
    kind: 'lists',
    id,
    slug: list.api_slug,
    attributes: [],
    options: new Map(),
    statuses: new Map(),
    shown: {
      id: { workspace_id: WORKSPACE.id, list_id: id },
      api_slug: list.api_slug,
      name: list.name,
      parent_object: list.parent_object,
      workspace_access: list.workspace_access,
      workspace_member_access: list.workspace_member_access,
      created_by_actor: made.actor,
      created_at: made.at,
    },
  };
  workspace.lists.push(added);
  for (const attribute of [...attributes, ...SYSTEM_ATTRIBUTES])
    workspace.addAttribute(added, attribute, made.at);
  return added;
}

function objectId(slug: string): string {
  return stableUuid('object', slug);
}
