import { locationOf, valueOf, type Element } from './element.js';
import { compilePath, type Path } from './path.js';
import { modelTable, type GroupRow } from './model-table.js';

export type Syntax = 'UBL' | 'CII';

interface CompiledGroup {
  readonly path: Path;
  readonly terms: ReadonlyMap<string, Path>;
  readonly groups: ReadonlyMap<string, CompiledGroup>;
}

/**
 * A group of the EN 16931 model, such as an invoice line (BG-25), with its business terms. A term is read from the
 * document when it is first used. If a validation rule asks for an unknown code, an error is thrown, because the rule
 * has a bug.
 */
export class Group {
  readonly element: Element;
  readonly #compiled: CompiledGroup;
  readonly #terms = new Map<string, readonly Element[]>();
  readonly #groups = new Map<string, readonly Group[]>();

  constructor(element: Element, compiled: CompiledGroup) {
    this.element = element;
    this.#compiled = compiled;
  }

  /** Returns all XML elements of the business term, in document order. */
  all(term: string): readonly Element[] {
    const known = this.#terms.get(term);
    if (known !== undefined) return known;
    const path = this.#compiled.terms.get(term);
    if (path === undefined)
      throw new Error(`The EN 16931 invoice model defines no business term ${term} in the group that is read.`);
    const found = path(this.element);
    this.#terms.set(term, found);
    return found;
  }

  first(term: string): Element | undefined {
    return this.all(term)[0];
  }

  /**
   * Returns the normalized text of the first element of a business term (EN 16931), or an empty text if there is none.
   */
  value(term: string): string {
    return valueOf(this.first(term));
  }

  has(term: string): boolean {
    return this.all(term).length > 0;
  }

  groups(code: string): readonly Group[] {
    const known = this.#groups.get(code);
    if (known !== undefined) return known;
    const compiled = this.#compiled.groups.get(code);
    if (compiled === undefined)
      throw new Error(`The EN 16931 invoice model defines no group ${code} inside the group that is read.`);
    const found = compiled.path(this.element).map((element) => new Group(element, compiled));
    this.#groups.set(code, found);
    return found;
  }

  get location(): string {
    return locationOf(this.element);
  }
}

/** An invoice in the EN 16931 model, read from UBL or CII. */
export interface InvoiceModel {
  readonly syntax: Syntax;
  readonly root: Element;
  readonly invoice: Group;
}

const compiled: Readonly<Record<Syntax, CompiledGroup>> = {
  UBL: compileGroup(modelTable, 'ubl'),
  CII: compileGroup(modelTable, 'cii'),
};

export function readModel(root: Element, syntax: Syntax): InvoiceModel {
  return { syntax, root, invoice: new Group(root, compiled[syntax]) };
}

function compileGroup(row: GroupRow, syntax: 'ubl' | 'cii'): CompiledGroup {
  return {
    path: compilePath(row[syntax]),
    terms: new Map(Object.entries(row.terms).map(([code, term]) => [code, compilePath(term[syntax])])),
    groups: new Map(Object.entries(row.groups).map(([code, group]) => [code, compileGroup(group, syntax)])),
  };
}
