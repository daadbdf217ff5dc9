import type { Methods } from '@invoicecontrol/contracts/definition';
import type { OperatorServiceDefinition as AnalysisOperator } from '@invoicecontrol/contracts/analysis/v1/operator_service';
import type { OperatorServiceDefinition as Operations } from '@invoicecontrol/contracts/operations/v1/operator_service';
import type { OperatorServiceDefinition as OrganizationOperator } from '@invoicecontrol/contracts/organization/v1/operator_service';
import type { OperatorServiceDefinition as BillingOperator } from '@invoicecontrol/contracts/billing/v1/operator_service';
import type { OperatorServiceDefinition as ScanOperator } from '@invoicecontrol/contracts/scan/v1/operator_service';
import type { CallOptions } from '@invoicecontrol/runtime/grpc/client';

/** An option of an operator's command. */
export interface CommandOption {
  /**
   * Placeholder of an option's value in the help of an operator's command, for example `NAME`. Absent for an option
   * without a value.
   */
  readonly value?: string;
  readonly description: string;
  readonly isRequired?: true;
}

/** A value after the operator's command that belongs to no option. */
export interface CommandArgument {
  /** Placeholder in the help of an operator's command, for example `SCAN_ID`. */
  readonly value: string;
  readonly description: string;
  readonly isRequired?: true;
}

/** A table that an operator's command prints, with the headings of its columns. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The result of an operator's command. */
export interface Outcome {
  /** With --json, the operator's command prints only this value. */
  readonly json: Readonly<Record<string, unknown>>;
  /** Sentence that the operator's command prints before the values if --json is absent. */
  readonly sentence: string;
  readonly values?: Readonly<Record<string, string>>;
  readonly table?: Table;
  /** A remark about the printed values, for example that an API key is shown only once. */
  readonly note?: string;
  /**
   * One sentence for each failure of the operator's command. The sentences are printed to standard error, and the exit
   * code reports failure.
   */
  readonly failures?: readonly string[];
}

/** The services that have a database and can therefore be operated. */
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

/** The functions of one service that an operator's command for several services calls. */
export interface ServiceOperations {
  readonly service: OperatedService;
  readonly rpc: Methods<typeof Operations, CallOptions>;
}

/** The RPCs of the services that an operator's command can call. */
export interface Operator {
  readonly organization: Methods<typeof OrganizationOperator, CallOptions>;
  readonly analysis: Methods<typeof AnalysisOperator, CallOptions>;
  readonly scan: Methods<typeof ScanOperator, CallOptions>;
  readonly billing: Methods<typeof BillingOperator, CallOptions>;
  /**
   * The services that the operator's command calls: one fixed service, every service, or the service that --service
   * names.
   */
  readonly services: readonly ServiceOperations[];
  readonly call: CallOptions;
  /** Function that shows the progress of a long operator's command on a terminal. */
  readonly report: (progress: string) => void;
}

export interface Command {
  /** Name of the operator's command in one word or two, for example `dead-letters list`. */
  readonly name: string;
  readonly summary: string;
  /**
   * The service that the operator's command calls. With `every`, the command calls all services, or only the service
   * that --service names.
   */
  readonly service: OperatedService | 'every';
  readonly argument?: CommandArgument;
  readonly options: Readonly<Record<string, CommandOption>>;
  /** Arguments in the examples of an operator's command, which can be copied and run. */
  readonly examples: readonly string[];
  /**
   * Runs the operator's command against the running system.
   * @param given the values of the given options, '' for an option without a value; all required options are present
   * @param argument the value after the command
   */
  run(
    operator: Operator,
    given: Readonly<Record<string, string | undefined>>,
    argument: string | undefined,
  ): Promise<Outcome>;
}

/** An operator's command that works on files and needs no running system. */
export interface FileCommand extends Pick<Command, 'name' | 'summary' | 'options' | 'examples'> {
  /** Placeholder for files in the help of an operator's command, for example `FILE...`. */
  readonly argument: CommandArgument & { readonly isRequired: true };
  /**
   * Yields one validation result for each document file, in their order. Each result is printed as soon as it is
   * available.
   * @throws UsageError before the first result when a file cannot be read
   */
  runOnFiles(
    given: Readonly<Record<string, string | undefined>>,
    files: readonly string[],
    env: NodeJS.ProcessEnv,
  ): AsyncIterable<Outcome>;
}

/**
 * An operator's command that calls no RPC of the services. It gets everything that it needs from its options and
 * environment variables.
 */
export interface StandaloneCommand extends Pick<Command, 'name' | 'summary' | 'options' | 'examples'> {
  readonly argument?: undefined;
  /** Yields one result for each part of the work, for example for each service. */
  runAlone(
    given: Readonly<Record<string, string | undefined>>,
    env: NodeJS.ProcessEnv,
    report: (progress: string) => void,
  ): AsyncIterable<Outcome>;
}

export type AnyCommand = Command | FileCommand | StandaloneCommand;

/** Error for a wrong command line of the operator. The message states what to change. */
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

/** An example of an organization id, for the examples in the help. */
export const EXAMPLE_ID = '0199f3a2-6c1e-7b60-9d51-2f1c8a7be001';

/**
 * Reads the whole number that an option of an operator's command states.
 * @returns the number, or the default when the option is not given
 * @throws UsageError that states the allowed range
 */
export function readCount(option: string, text: string | undefined, range: { default: number; max: number }): number {
  if (text === undefined) return range.default;
  const number = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > range.max) throw new UsageError(`--${option} must be a number from 1 to ${range.max}.`);
  return number;
}
