import type { Methods } from '@invoicecontrol/contracts/definition';
import type { OperatorServiceDefinition as AnalysisOperator } from '@invoicecontrol/contracts/analysis/v1/operator_service';
import type { OperatorServiceDefinition as Operations } from '@invoicecontrol/contracts/operations/v1/operator_service';
import type { OperatorServiceDefinition as OrganizationOperator } from '@invoicecontrol/contracts/organization/v1/operator_service';
import type { OperatorServiceDefinition as BillingOperator } from '@invoicecontrol/contracts/billing/v1/operator_service';
import type { OperatorServiceDefinition as ScanOperator } from '@invoicecontrol/contracts/scan/v1/operator_service';
import type { CallOptions } from '@invoicecontrol/runtime/grpc/client';

/** An option of a command. */
export interface CommandOption {
  /** The placeholder of the value in the help: `NAME`. Absent for a switch. */
  readonly value?: string;
  readonly description: string;
  readonly isRequired?: true;
}

/** A value without a name of its own, after the command. */
export interface CommandArgument {
  /** `SCAN_ID` */
  readonly value: string;
  readonly description: string;
  readonly isRequired?: true;
}

/** Rows under headings. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The result of a command. */
export interface Outcome {
  /** The only output with --json. */
  readonly json: Readonly<Record<string, unknown>>;
  /** Printed without --json, before the values. */
  readonly sentence: string;
  readonly values?: Readonly<Record<string, string>>;
  readonly table?: Table;
  /** A remark about the values, for example that a key is shown once. */
  readonly note?: string;
  /** Failures, one sentence each. They are printed to standard error, and the exit code reports failure. */
  readonly failures?: readonly string[];
}

/** The services that have a database, and so something to operate. */
export const operatedServices = [
  'organization',
  'analysis',
  'documents',
  'scan',
  'webhooks',
  'billing',
  'erp-sync',
  'ksef',
] as const;
export type OperatedService = (typeof operatedServices)[number];

/** One service as every command that asks several sees it. */
export interface ServiceOperations {
  readonly service: OperatedService;
  readonly rpc: Methods<typeof Operations, CallOptions>;
}

/** The running system as the operator sees it. */
export interface Operator {
  readonly organization: Methods<typeof OrganizationOperator, CallOptions>;
  readonly analysis: Methods<typeof AnalysisOperator, CallOptions>;
  readonly scan: Methods<typeof ScanOperator, CallOptions>;
  readonly billing: Methods<typeof BillingOperator, CallOptions>;
  /** The services that the command asks: its own, or every one, or the one that --service names. */
  readonly services: readonly ServiceOperations[];
  readonly call: CallOptions;
  /** Shows on a terminal how far long work is. */
  readonly report: (progress: string) => void;
}

export interface Command {
  /** One word or two: `dead-letters list`. */
  readonly name: string;
  readonly summary: string;
  /** The service that it calls; `every` one, or the one that --service names. */
  readonly service: OperatedService | 'every';
  readonly argument?: CommandArgument;
  readonly options: Readonly<Record<string, CommandOption>>;
  /** Arguments of the examples, ready to run. */
  readonly examples: readonly string[];
  /**
   * @param given the values of the given options, '' for a switch; required ones are present
   * @param argument the value after the command
   */
  run(
    operator: Operator,
    given: Readonly<Record<string, string | undefined>>,
    argument: string | undefined,
  ): Promise<Outcome>;
}

/** A command that needs no running system: it works on files. */
export interface FileCommand extends Pick<Command, 'name' | 'summary' | 'options' | 'examples'> {
  /** `FILE...` */
  readonly argument: CommandArgument & { readonly isRequired: true };
  /**
   * One result for each file, in order; each is printed as soon as it is there.
   * @throws UsageError before the first result where a file cannot be read
   */
  runOnFiles(
    given: Readonly<Record<string, string | undefined>>,
    files: readonly string[],
    env: NodeJS.ProcessEnv,
  ): AsyncIterable<Outcome>;
}

/** A wrong command line; the message says what to change. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

export const organizationOption: CommandOption = {
  value: 'ID',
  description: 'the id of the organization',
  isRequired: true,
};

export const roleOption: CommandOption = {
  value: 'ROLE',
  description: 'VIEWER, ANALYST, ADMIN or OWNER',
  isRequired: true,
};

export const KEY_NOTE = 'The key is shown only once.';

/** An id as the examples of the help show one. */
export const EXAMPLE_ID = '0199f3a2-6c1e-7b60-9d51-2f1c8a7be001';

/**
 * @returns the whole number of an option, or the default when it is not given
 * @throws UsageError naming the range
 */
export function readCount(option: string, text: string | undefined, range: { default: number; max: number }): number {
  if (text === undefined) return range.default;
  const number = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > range.max) throw new UsageError(`--${option} must be a number from 1 to ${range.max}.`);
  return number;
}
