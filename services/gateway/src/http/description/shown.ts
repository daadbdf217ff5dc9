import { enumName } from '@invoicecontrol/contracts/enum-name';
import type { WireEnum } from '@invoicecontrol/contracts/enum-name';
import { z } from 'zod';
import { exampleOf, examples } from './examples.js';
import { shownId, shownInstant, showInstant, stated } from './fields.js';

/** A record field: its published schema, an example, and the function that reads its value from a service message. */
export interface Field<Message, S extends z.ZodType = z.ZodType> {
  readonly schema: S;
  /** Example value. Undefined if the example does not have the field. */
  readonly example: z.infer<S>;
  /** Reads the value. Returns undefined if the response does not have the field. */
  readonly read: (message: Message) => z.infer<S>;
}

type Fields<Message> = Readonly<Record<string, Field<Message>>>;
type Shape<F> = { -readonly [N in keyof F]: F[N] extends { readonly schema: infer S extends z.ZodType } ? S : never };

/** An API record, whose description and responses are built from the same fields. */
export interface ShownRecord<Message, F> {
  readonly fields: F;
  readonly schema: z.ZodObject<Shape<F>>;
  readonly present: (message: Message) => z.infer<z.ZodObject<Shape<F>>>;
}

/** A message that has this property. */
type With<K extends string, V> = { readonly [P in K]: V };
/** A message that may have this property. */
type MayHave<K extends string, V> = { readonly [P in K]?: V | undefined };

/**
 * Declares a record: `record<Company>('Company')({ id: id('companyId', ...), ... })`.
 * @param id name of the published schema; absent for a part of a single record
 */
export function record<Message>(id?: string, description?: string) {
  return <F extends Fields<Message>>(fields: F): ShownRecord<Message, F> => {
    const all = Object.entries(fields).map(([name, field]) => ({ name, ...field }));
    const shape = Object.fromEntries(all.map(({ name, schema }) => [name, schema])) as Shape<F>;
    const example = Object.fromEntries(
      all.filter((field) => field.example !== undefined).map((field) => [field.name, field.example]),
    );
    const meta = { ...(id === undefined ? {} : { id }), ...(description === undefined ? {} : { description }) };
    return {
      fields,
      schema: z
        .object(shape)
        .meta(meta)
        .register(examples, { example } as never),
      present(message) {
        const answer: Record<string, unknown> = {};
        for (const { name, read } of all) {
          const value = read(message);
          if (value !== undefined) answer[name] = value;
        }
        return answer as z.infer<z.ZodObject<Shape<F>>>;
      },
    };
  };
}

/** Declares a field with the value of a message property. */
export function field<S extends z.ZodType, K extends string>(
  schema: S,
  source: K,
  example: z.infer<S>,
): Field<With<K, z.infer<S>>, S> {
  return { schema, example, read: (message) => message[source] };
}

/** Declares a field that a function computes from the message. */
export function made<S extends z.ZodType, Message>(
  schema: S,
  read: (message: Message) => z.infer<S>,
  example: z.infer<S>,
): Field<Message, S> {
  return { schema, example, read };
}

/** Declares a text field with the value of a message property. */
export function text<K extends string>(source: K, example: string, description: string) {
  return field(z.string().describe(description), source, example);
}

export function textOrNull<K extends string>(source: K, example: string | null, description: string) {
  return orNull(z.string(), source, example, description);
}

export function id<K extends string>(source: K, example: string, description: string) {
  return field(shownId().describe(description), source, example);
}

/** Declares a field that counts something. */
export function count<K extends string>(source: K, example: number, description: string) {
  return field(z.int().min(0).describe(description), source, example);
}

export function idOrNull<K extends string>(source: K, example: string | null, description: string) {
  return orNull(shownId(), source, example, description);
}

export function flag<K extends string>(source: K, example: boolean, description: string) {
  return field(z.boolean().describe(description), source, example);
}

/** Declares a field that is null if the message does not have the property. */
export function orNull<S extends z.ZodType, K extends string>(
  schema: S,
  source: K,
  example: z.infer<S> | null,
  description?: string,
): Field<MayHave<K, z.infer<S>>, z.ZodNullable<S>> {
  const nullable = schema.nullable();
  return {
    schema: description === undefined ? nullable : nullable.describe(description),
    example,
    read: (message) => message[source] ?? null,
  };
}

/** Declares a field that is absent if the message does not have the property. */
export function optional<S extends z.ZodType, K extends string>(
  schema: S,
  source: K,
  example: z.infer<S> | undefined,
  description: string,
): Field<MayHave<K, z.infer<S>>, z.ZodOptional<S>> {
  return { schema: schema.optional().describe(description), example, read: (message) => message[source] };
}

/** Declares a time that every message has. */
export function instant<K extends string>(
  source: K,
  example: string,
  description: string,
): Field<MayHave<K, Date>, z.ZodString> {
  return {
    schema: shownInstant().describe(description),
    example,
    read: (message) => showInstant(message[source]),
  };
}

/** Declares a time that is null until it is known. */
export function instantOrNull<K extends string>(
  source: K,
  example: string | null,
  description: string,
): Field<MayHave<K, Date>, z.ZodNullable<z.ZodString>> {
  return {
    schema: shownInstant().nullable().describe(description),
    example,
    read: (message) => {
      const instant = message[source];
      return instant === undefined ? null : showInstant(instant);
    },
  };
}

/**
 * Declares a field with one of several words, which the service sends as a string. Reading throws a TypeError for
 * another word.
 */
export function word<E extends z.ZodEnum, K extends string>(
  schema: E,
  source: K,
  example: z.infer<E>,
): Field<With<K, string>, E> {
  return { schema, example, read: (message) => oneOf(schema, message[source]) };
}

/**
 * Declares a field with the name of a contract enum value. Reading throws a TypeError for a value without a published
 * name.
 */
export function name<E extends z.ZodEnum, W extends WireEnum, K extends string>(
  schema: E,
  wireEnum: W,
  source: K,
  example: z.infer<E>,
): Field<With<K, W[keyof W]>, E> {
  return { schema, example, read: (message) => oneOf(schema, enumName(wireEnum, message[source])) };
}

/** Declares a field that is itself a record. */
export function part<Message, F, K extends string>(
  { schema, present }: ShownRecord<Message, F>,
  source: K,
  description?: string,
): Field<MayHave<K, Message>, z.ZodObject<Shape<F>>> {
  return {
    schema: description === undefined ? schema : schema.describe(description),
    example: exampleOf(schema),
    read: (message) => present(stated<Message>(message[source])),
  };
}

export function partOrNull<Message, F, K extends string>(
  { schema, present }: ShownRecord<Message, F>,
  source: K,
  description: string,
): Field<MayHave<K, Message>, z.ZodNullable<z.ZodObject<Shape<F>>>> {
  return {
    schema: schema.nullable().describe(description),
    example: exampleOf(schema),
    read: (message) => {
      const stored = message[source];
      return stored === undefined ? null : present(stored);
    },
  };
}

/** Declares a list of records. Its example contains the record's example, unless another one is given. */
export function list<Message, F, K extends string>(
  { schema, present }: ShownRecord<Message, F>,
  source: K,
  description: string,
  { itemsMax, example = [exampleOf(schema)] }: { itemsMax?: number; example?: z.infer<z.ZodObject<Shape<F>>>[] } = {},
): Field<With<K, readonly Message[]>, z.ZodArray<z.ZodObject<Shape<F>>>> {
  const items = z.array(schema);
  return {
    schema: (itemsMax === undefined ? items : items.max(itemsMax)).describe(description),
    example,
    read: (message) => message[source].map(present),
  };
}

/** Declares the fields of a record that is inside the message, for a record with more fields. */
export function within<Message, F extends Fields<Message>, K extends string>(
  source: K,
  { fields }: ShownRecord<Message, F>,
): { readonly [N in keyof F]: Field<MayHave<K, Message>, Shape<F>[N]> } {
  return Object.fromEntries(
    Object.entries(fields).map(([name, { schema, example, read }]) => [
      name,
      { schema, example, read: (message: MayHave<K, Message>) => read(stated<Message>(message[source])) },
    ]),
  ) as never;
}

/** Returns the word if the schema contains it, and throws a TypeError otherwise. */
export function oneOf<E extends z.ZodEnum>({ enum: words }: E, value: string): z.infer<E> {
  if (!Object.hasOwn(words, value)) throw new TypeError(`${value} is not one of ${Object.keys(words).join(', ')}.`);
  return value as z.infer<E>;
}
