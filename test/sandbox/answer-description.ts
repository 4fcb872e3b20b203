/** Holds the answers of a stand-in against the provider's own description of them (JSON files next to this one). */
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

type Schema = { [member: string]: unknown };

/** @param name of a file next to this one. @returns what is wrong with an answer to an operation; empty when nothing is */
export function readAnswerDescription(name: string): (operation: string, answer: unknown) => unknown {
  const described = JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as {
    answers: Record<string, Schema>;
    $defs: Record<string, Schema>;
  };
  /** Names of schemas that others extend by `allOf`: these stay open, the whole is closed. */
  const extended = new Set(
    [...JSON.stringify(described).matchAll(/"allOf":\[\{"\$ref":"#\/\$defs\/(\w+)"/g)].map(([, one]) => one),
  );
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({
    $id: 'https://answers.example/',
    answers: closed(described.answers),
    $defs: Object.fromEntries(
      Object.entries(described.$defs).map(([key, schema]) => [key, closed(schema, extended.has(key))]),
    ),
  });
  return (operation, answer) => {
    const validate = ajv.compile({ $ref: `https://answers.example/#/answers/${operation}` });
    return validate(answer) ? [] : validate.errors;
  };
}

/** Closes every object with declared members, so that an invented member of an answer is found too. */
function closed(schema: unknown, isPart = false): unknown {
  if (Array.isArray(schema)) return schema.map((entry) => closed(entry, isPart));
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, closed(value, name === 'allOf')]),
  );
  const isDeclared = typeof copy.properties === 'object' || Array.isArray(copy.allOf);
  return isDeclared && !isPart && copy.additionalProperties === undefined
    ? { ...copy, unevaluatedProperties: false }
    : copy;
}
