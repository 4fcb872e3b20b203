/**
 * crm_create_attribute: in Attio a multiselect is a select that holds several values, and the object that a record
 * reference points to is in another place of the settings.
 *
 * @see https://docs.attio.com/rest-api/endpoint-reference/attributes/create-an-attribute
 */
import { pathSegment, pathViolations } from '../../catalog/call/request.ts';
import type { JsonObject, ToolHandler } from '../../catalog/model/types.ts';
import type { FieldViolation } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import type { ToolInputs } from '../inputs/crm.ts';
import { post } from '../provider-call.ts';

type AttributeInput = ToolInputs['crm_create_attribute'];

export const createAttribute: ToolHandler<AttributeInput> = {
  check: ({ object, list = '', type, config }) => {
    if (config === undefined) return [];
    const violations = [...typeViolations(type), ...relationshipViolations(type, config)];
    if (violations.length > 0) return violations;
    return object === undefined ? pathViolations(list, 'list') : pathViolations(object, 'object');
  },
  call: async ({ input, http }) => {
    const { object, list = '', config, ...attribute } = input;
    const target =
      object === undefined
        ? `lists/${pathSegment(list, 'list')}`
        : `objects/${pathSegment(object, 'object')}`;
    const data = { ...attribute, ...asAttioType(attribute), config: asAttioConfig(config) };
    return http.send(post(`/v2/${target}/attributes`, { data }));
  },
};

function asAttioType({ type, is_multiselect }: Pick<AttributeInput, 'type' | 'is_multiselect'>): JsonObject {
  return type === 'multiselect' ? { type: 'select', is_multiselect: true } : { type, is_multiselect };
}

/** `relationship.object` becomes the only allowed object; everything else is in Attio's form and stays. */
function asAttioConfig({ relationship, ...rest }: JsonObject): JsonObject {
  return isRelationship(relationship)
    ? { ...rest, record_reference: { allowed_objects: [relationship.object] } }
    : rest;
}

/** `{"object": <slug>}` and no other member, because that would be lost. */
function isRelationship(value: unknown): value is { object: string } {
  if (!isObject(value) || Object.keys(value).join() !== 'object') return false;
  const { object } = value;
  return typeof object === 'string' && object !== '';
}

function typeViolations(type: string | undefined): FieldViolation[] {
  if (type !== 'interaction') return [];
  const description =
    'Attio makes attributes of type interaction itself. Take timestamp or date for a time of contact, or text for what was said.';
  return [{ field: 'type', description, constraint: 'enum' }];
}

function relationshipViolations(
  type: string | undefined,
  { relationship, record_reference }: JsonObject,
): FieldViolation[] {
  if (relationship === undefined) return [];
  const violation = (description: string, constraint: string): FieldViolation[] => [
    { field: 'config.relationship', description, constraint },
  ];
  if (!isRelationship(relationship))
    return violation('Must be {"object": "<slug of the object it points to>"}.', 'type');
  if (type !== 'record-reference') return violation('Is for the type record-reference only.', 'forbid');
  if (record_reference === undefined) return [];
  return violation('Cannot be given together with record_reference, which says the same.', 'forbid');
}
