import type { DocumentFormat, FieldPath } from '../reading.js';

/**
 * Source of a field. Paths are XPath 1.0, relative to the root element of the invoice, with the prefixes of the syntax. The first source
 * that is present decides.
 */
export type Source =
  /** The first readable one of the nodes. */
  | string
  /** The parts that are present, one after another. */
  | { readonly join: readonly string[]; readonly separator: ' ' | '' }
  /** A tax id whose country is stated apart; a number that repeats it keeps it once. */
  | { readonly country: string; readonly number: string }
  /** An invoice number behind the code of its series, if it has one. */
  | { readonly series: string; readonly number: string }
  /** The earliest of several dates. */
  | { readonly earliest: string }
  /** All nodes of all paths added up, those of `minus` subtracted; with `each`, only where each path has a node. */
  | { readonly sum: readonly string[]; readonly minus?: readonly string[]; readonly each?: true }
  /** Totals that may be stated in several currencies: those whose `@currencyID` is the invoice's. */
  | { readonly inInvoiceCurrency: string }
  /** Sum of other fields. */
  | { readonly fields: readonly FieldPath[] };

/** A root element; without a namespace it is known by its name alone. */
export interface Root {
  readonly name: string;
  readonly namespace?: string;
}

/** One way to write invoices in XML: its mapping to the canonical invoice as data (documents reference, section 6). */
export interface Syntax {
  readonly format: DocumentFormat;
  readonly roots: readonly Root[];
  /** Namespaces of the prefixes in the paths. */
  readonly namespaces: Readonly<Record<string, string>>;
  /** Path of the invoices in the file; absent when the root is the only one. */
  readonly invoices?: string;
  /** Path of the declared profile; absent if the namespace declares it. */
  readonly profile?: { readonly customizationId: string; readonly profileId?: string };
  readonly kind: {
    readonly path: string;
    readonly creditNotes: readonly string[];
    readonly corrections: readonly string[];
    /** The root element that makes it a credit note whatever its type says. */
    readonly creditNoteRoot?: string;
  };
  readonly payable: readonly Source[];
  readonly fields: Readonly<Partial<Record<FieldPath, readonly Source[]>>>;
  /** Accounts that name a bank by its UK sort code; `sortCode` and `accountNumber` are relative to one of `accounts`. */
  readonly ukAccount?: {
    readonly accounts: string;
    readonly sortCode: string;
    readonly accountNumber: string;
    /** Country of the supplier. */
    readonly country: string;
  };
  readonly lines: LineSyntax;
}

/** Paths relative to a line. */
export interface LineSyntax {
  readonly path: string;
  readonly description: readonly string[];
  readonly quantity?: string;
  readonly unit?: string;
  readonly unitPrice?: string;
  /** Number of units that the price is for. */
  readonly priceQuantity?: string;
  readonly netAmount?: string;
  readonly taxRate: string;
  /** Matches a line that states what was before a correction; it counts against the others. */
  readonly reversed?: string;
}
