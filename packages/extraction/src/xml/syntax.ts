import type { DocumentFormat, FieldPath } from '../reading.js';

/**
 * Source of the value of an invoice field in an XML format. Paths are XPath 1.0 expressions, relative to the root
 * element of the invoice, with the prefixes of the syntax. The first source that is present is used.
 */
export type Source =
  /** The value of the invoice field is that of the first XML node that can be read. */
  | string
  /** The value of the invoice field consists of the listed values that are present, joined together. */
  | { readonly join: readonly string[]; readonly separator: ' ' | '' }
  /**
   * The value is a tax id, combined with a country that is stated separately. A number that already begins with the
   * country is not changed.
   */
  | { readonly country: string; readonly number: string }
  /** The value is the invoice number, combined with the code of its series if there is one. */
  | { readonly series: string; readonly number: string }
  /** Uses the earliest of several dates in the XML as the value of the field. */
  | { readonly earliest: string }
  /**
   * The value is the sum of the amounts in the XML nodes of all paths, less the amounts in the nodes of `minus`. With
   * `each`, every path must have a node.
   */
  | { readonly sum: readonly string[]; readonly minus?: readonly string[]; readonly each?: true }
  /**
   * The value is taken from totals whose `@currencyID` is the currency of the invoice, if they are stated in several
   * currencies.
   */
  | { readonly inInvoiceCurrency: string }
  /** The value of the invoice field is the sum of other fields. */
  | { readonly fields: readonly FieldPath[] };

/** Root element of an invoice syntax. Without a namespace, the element is recognized by its name alone. */
export interface Root {
  readonly name: string;
  readonly namespace?: string;
}

/** An XML syntax for invoices, with its mapping to the canonical invoice as data (documents reference, section 6). */
export interface Syntax {
  readonly format: DocumentFormat;
  readonly roots: readonly Root[];
  /** XML namespaces by the prefixes that the paths use. */
  readonly namespaces: Readonly<Record<string, string>>;
  /** Path of the invoices in the XML file. Absent if the root element is the only invoice. */
  readonly invoices?: string;
  /** XML path of the declared e-invoice profile. Absent if the namespace declares the profile. */
  readonly profile?: { readonly customizationId: string; readonly profileId?: string };
  readonly kind: {
    readonly path: string;
    readonly creditNotes: readonly string[];
    readonly corrections: readonly string[];
    /** Root element that makes a document a credit note, whatever type code the document states. */
    readonly creditNoteRoot?: string;
  };
  readonly payable: readonly Source[];
  readonly fields: Readonly<Partial<Record<FieldPath, readonly Source[]>>>;
  /**
   * Bank accounts that name the bank by its UK sort code. `sortCode` and `accountNumber` are relative to one of
   * `accounts`.
   */
  readonly ukAccount?: {
    readonly accounts: string;
    readonly sortCode: string;
    readonly accountNumber: string;
    /** Path of the element with the country of the supplier. */
    readonly country: string;
  };
  /** Path of the name of the payee, if the payee is not the supplier (BT-59). */
  readonly payee?: readonly Source[];
  /** Paths of all bank accounts that the document states, including accounts of factoring companies. */
  readonly accounts?: readonly string[];
  readonly lines: LineSyntax;
  readonly taxBreakdown?: TaxBreakdownSyntax;
  readonly printedParts: PrintedPartsSyntax;
  /** Paths of the invoices that a corrective invoice names, relative to one of `invoices`. */
  readonly corrected?: {
    readonly invoices: string;
    readonly number: string;
    readonly issueDate: string;
    readonly ksefNumber: string;
  };
}

/** Paths of the parts of an invoice that are only shown. Each address is a list of its lines. */
export interface PrintedPartsSyntax {
  readonly supplierAddress: readonly string[];
  readonly buyerAddress: readonly string[];
  readonly paymentTerms: string;
  readonly notes: string;
}

/**
 * Path of the rows of the VAT breakdown, with the paths of their values relative to a row. FA(3) has no rows but states
 * the VAT of each rate in fields of its own.
 */
export type TaxBreakdownSyntax =
  | {
      readonly rows: string;
      readonly category: string;
      readonly rate: string;
      readonly base: string;
      readonly tax: string;
      readonly reason: string;
    }
  | { readonly sums: readonly { readonly category: string; readonly base: string; readonly tax: string }[] };

/** Paths of invoice line fields, relative to a line. */
export interface LineSyntax {
  readonly path: string;
  readonly description: readonly string[];
  readonly quantity?: string;
  readonly unit?: string;
  readonly unitPrice?: string;
  /** Path of the number of units to which the price of an invoice line refers. */
  readonly priceQuantity?: string;
  readonly netAmount?: string;
  readonly taxRate: string;
  /** Matches an invoice line that states the value before a correction. Its amounts are subtracted. */
  readonly reversed?: string;
}
