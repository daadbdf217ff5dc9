import { catalogue } from '@invoicecontrol/engine/explanation/catalogue';
import type { FindingType } from '@invoicecontrol/engine/explanation/catalogue';
import { commonMembers, evidenceMembers, objectOf } from '@invoicecontrol/engine/explanation/evidence-members';
import type { MemberSchema, Members } from '@invoicecontrol/engine/explanation/evidence-members';
import { z } from 'zod';

/**
 * Members with the same meaning in the evidence of several finding types. The schema of every evidence contains them,
 * so that clients can read them without knowing the finding type.
 */
const SHARED_MEMBERS = ['points', 'matchedTotal', 'matched', 'comparisons', 'amountAtRisk', 'amountAtRiskCurrency'];

const evidenceTexts = {
  any: 'The evidence for the finding. `explanation` holds sentences for people. Further members depend on the finding type: the schema TypedFinding has them for each type. Amounts are decimal strings. Members may be added.',
} as const;

/**
 * Names of the schemas for objects in the evidence of many finding types. The key is the evidence member that contains
 * the object.
 */
const schemaNames: Readonly<Record<string, string>> = {
  matched: 'MatchedInvoice',
  comparisons: 'FieldComparison',
  tolerance: 'LearnedTolerance',
  // The schemas of repeated invoices and of suppliers in a cluster need explicit names. Otherwise client generators
  // would name them after their members, and the names would equal those of the schemas Invoice and Supplier.
  invoices: 'RepeatedAmountInvoice',
  suppliers: 'ClusterSupplier',
};

const named = new Map<string, z.ZodObject>();

/**
 * Returns the schema of an object in the evidence of a finding. All finding types share the schema if it has a name.
 */
function objectSchema(member: string, { properties = {}, required = [], description }: MemberSchema): z.ZodType {
  const schema = z.looseObject(shapeOf({ properties, required }));
  const id = schemaNames[member];
  if (id === undefined) return schema;
  const known: z.ZodObject =
    named.get(id) ?? schema.meta({ id, ...(description === undefined ? {} : { description }) });
  if (Object.keys(known.shape).join() !== Object.keys(schema.shape).join()) {
    throw new TypeError(
      `The evidence objects named ${member} have different members, so they cannot share the schema ${id}.`,
    );
  }
  named.set(id, known);
  return known;
}

function toZod(member: MemberSchema, name: string): z.ZodType {
  const { type, description } = member;
  const [kind = '', ...others] = [type].flat();
  const schema = ofKind(kind, member, name);
  const nullable = others.includes('null') ? schema.nullable() : schema;
  // A named schema of evidence contains its own description, so it is not repeated where the schema is used.
  const isNamed = kind === 'object' && schemaNames[name] !== undefined;
  return description === undefined || isNamed ? nullable : nullable.describe(description);
}

function ofKind(kind: string, member: MemberSchema, name: string): z.ZodType {
  switch (kind) {
    case 'string':
      return z.string();
    case 'integer':
      return z.int();
    case 'number':
      return z.number();
    case 'boolean':
      return z.boolean();
    case 'array':
      return z.array(member.items === undefined ? z.unknown() : toZod(member.items, name));
    case 'object':
      return member.properties === undefined ? z.record(z.string(), z.unknown()) : objectSchema(name, member);
    default:
      throw new TypeError(`The evidence of findings has no members of the type ${kind}.`);
  }
}

function shapeOf({ properties, required }: Required<Pick<MemberSchema, 'properties' | 'required'>>) {
  return Object.fromEntries(
    Object.entries(properties).map(([name, member]) => {
      const schema = toZod(member, name);
      return [name, required.includes(name) ? schema : schema.optional()];
    }),
  );
}

function evidenceOf(members: Members): z.ZodObject {
  return z.looseObject(shapeOf(objectOf({ ...commonMembers, ...members })));
}

const optionalMembers = Object.fromEntries(
  Object.entries(evidenceMembers.BOOKS_DUPLICATE_BILL)
    .filter(([name]) => SHARED_MEMBERS.includes(name))
    .map(([name, member]) => [`${name}?`, member]),
);

/** Evidence of any finding. Specification 2.3 leaves it free-form: more members are always allowed. */
export const anyEvidence = evidenceOf(optionalMembers).meta({ id: 'Evidence', description: evidenceTexts.any });

/** Returns the schema name of a finding type, such as `DuplicateInvoice` for DUPLICATE_INVOICE. */
function schemaName(type: string): string {
  return type
    .toLowerCase()
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

const typedFindings = (Object.keys(catalogue) as FindingType[]).map((type) =>
  z
    .looseObject({
      type: z.literal(type).describe('The type of the finding.'),
      evidence: evidenceOf(evidenceMembers[type]).meta({
        id: `${schemaName(type)}Evidence`,
        description: `The evidence for a finding of the type ${type}.`,
      }),
    })
    .meta({
      id: `${schemaName(type)}Finding`,
      description: `The type and the evidence of a finding of the type ${type}.`,
    }),
);

/**
 * The evidence by finding type. No response refers to this schema, because a client that knows only these types would
 * refuse a type that is added later.
 */
export const typedFinding = z
  .discriminatedUnion('type', typedFindings as [(typeof typedFindings)[number], ...typeof typedFindings])
  .meta({
    id: 'TypedFinding',
    description:
      'The evidence of each finding type. A Finding whose `type` is listed here also fits this schema. Types that are added later are not listed.',
  });
