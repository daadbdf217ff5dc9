interface Parameter {
  readonly name: string;
  readonly in: string;
}

interface Described {
  paths?: unknown;
  components?: unknown;
}

/** Names of the components of the API description for query parameters that all lists have. */
const componentNames: Readonly<Record<string, string>> = {
  limit: 'Limit',
  cursor: 'Cursor',
  created_from: 'CreatedFrom',
  created_to: 'CreatedTo',
};

/**
 * Replaces the query parameters that the list endpoints have in common with references to components of the API
 * description, so that generated clients have a single type for each parameter. If an endpoint describes such a
 * parameter differently, its own description stays.
 */
export function withParameterReferences<Document extends Described>(document: Document): Document {
  const parameters: Record<string, Parameter> = {};
  const shared = (parameter: Parameter): unknown => {
    const name = parameter.in === 'query' ? componentNames[parameter.name] : undefined;
    if (name === undefined) return parameter;
    const known = (parameters[name] ??= parameter);
    const isSame = JSON.stringify(known) === JSON.stringify(parameter);
    return isSame ? { $ref: `#/components/parameters/${name}` } : parameter;
  };
  const replaced = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(replaced);
    if (typeof node !== 'object' || node === null) return node;
    return Object.fromEntries(
      Object.entries(node).map(([name, child]) => [
        name,
        name === 'parameters' && Array.isArray(child) ? (child as Parameter[]).map(shared) : replaced(child),
      ]),
    );
  };
  const paths = replaced(document.paths);
  return { ...document, components: { ...(document.components as object), parameters }, paths };
}
