import { XmlDocument, XmlElement } from 'libxml2-wasm';

/**
 * An element of an XML invoice, copied from libxml2 so that validation rules can use it after the document is released.
 * The name of the element has the usual prefix of its namespace (`cbc:ID`, `ram:ID`), whatever prefix the document
 * uses. Elements of other namespaces, and root elements, have their local name.
 */
export interface Element {
  readonly name: string;
  readonly namespace: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly Element[];
  /** Text of the XML element as written, including white space. Empty for an element with child elements. */
  readonly text: string;
  readonly parent: Element | undefined;
}

const PREFIXES: ReadonlyMap<string, string> = new Map([
  ['urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2', 'cbc:'],
  ['urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2', 'cac:'],
  ['urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100', 'rsm:'],
  ['urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100', 'ram:'],
  ['urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100', 'udt:'],
]);
const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();

/** Returns the name of an XML element with the usual prefix of its namespace. */
export function usualName(namespace: string, localName: string): string {
  return (PREFIXES.get(namespace) ?? '') + localName;
}

/** Copies the element tree of a parsed XML document. */
export function copyTree(document: XmlDocument): Element {
  return copy(document.root, undefined);
}

/**
 * Returns the text of an XML element without surrounding white space and with single spaces inside, as XPath
 * normalize-space() does.
 */
export function valueOf(element: Element | undefined): string {
  return element === undefined ? '' : element.text.trim().replace(/\s+/g, ' ');
}

/** Returns the XPath of an XML element for people, such as `/Invoice/cac:InvoiceLine[2]/cbc:ID`. */
export function locationOf(element: Element): string {
  if (element.parent === undefined) return `/${element.name}`;
  const namesakes = element.parent.children.filter((sibling) => sibling.name === element.name);
  const position = namesakes.length > 1 ? `[${namesakes.indexOf(element) + 1}]` : '';
  return `${locationOf(element.parent)}/${element.name}${position}`;
}

/** Returns the XML element and all its descendants, in document order. */
export function* descendants(element: Element): Generator<Element> {
  yield element;
  for (const child of element.children) yield* descendants(child);
}

function copy(node: XmlElement, parent: Element | undefined): Element {
  const namespace = node.namespaceUri;
  const children: Element[] = [];
  const element = {
    name: usualName(namespace, node.name),
    namespace,
    attributes: NO_ATTRIBUTES,
    children,
    text: '',
    parent,
  };
  for (let child = node.firstChild; child !== null; child = child.next) {
    if (child instanceof XmlElement) children.push(copy(child, element));
  }
  if (children.length === 0) element.text = node.content;
  const attributes = node.attrs;
  if (attributes.length > 0) {
    element.attributes = new Map(attributes.map((attribute) => [attribute.name, attribute.value]));
  }
  return element;
}
