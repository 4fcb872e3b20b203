/**
 * crm_create_attribute: in Attio a multiselect is a select that holds several values, and the object that a record
 * reference points to has another place in the settings.
 *
 * @see https://docs.attio.com/rest-api/endpoint-reference/attributes/create-an-attribute
 */
import { pathSegment } from '../../catalog/call/request.ts';
import type { JsonObject, ToolHandler } from '../../catalog/model/types.ts';
import { invalidArgument, type FieldViolation } from '../../core/errors.ts';
import { post } from '../provider-call.ts';

interface AttributeInput {
  object?: string;
  list?: string;
  api_slug: string;
  title: string;
  type: string;
  description: string;
  is_required: boolean;
  is_unique: boolean;
  is_multiselect: boolean;
  config: JsonObject;
}

export const createAttribute: ToolHandler = async ({ input, http }) => {
  const { object, list, config, ...attribute } = input as unknown as AttributeInput;
  const violations = [...typeViolations(attribute.type), ...relationshipViolations(attribute.type, config)];
  if (violations.length > 0) throw invalidArgument(violations);
  const target =
    object === undefined
      ? `lists/${pathSegment(list ?? '', 'list')}`
      : `objects/${pathSegment(object, 'object')}`;
  const data = { ...attribute, ...asAttioType(attribute), config: asAttioConfig(config) };
  return http.send(post(`/v2/${target}/attributes`, { data }));
};

function asAttioType({ type, is_multiselect }: { type: string; is_multiselect: boolean }): JsonObject {
  return type === 'multiselect' ? { type: 'select', is_multiselect: true } : { type, is_multiselect };
}

/** `relationship.object` becomes the only allowed object; everything else is Attio's own and stays. */
function asAttioConfig({ relationship, ...rest }: JsonObject): JsonObject {
  return isRelationship(relationship)
    ? { ...rest, record_reference: { allowed_objects: [relationship.object] } }
    : rest;
}

/** `{"object": <slug>}` and nothing beside it, which would be lost on the way. */
function isRelationship(value: unknown): value is { object: string } {
  if (typeof value !== 'object' || value === null || Object.keys(value).join() !== 'object') return false;
  const { object } = value as { object: unknown };
  return typeof object === 'string' && object !== '';
}

function typeViolations(type: string): FieldViolation[] {
  if (type !== 'interaction') return [];
  const description = 'Attributes of type interaction are made by Attio itself and cannot be created.';
  return [{ field: 'type', description, constraint: 'enum' }];
}

function relationshipViolations(
  type: string,
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
  return violation('Cannot be given beside record_reference, which says the same.', 'forbid');
}
