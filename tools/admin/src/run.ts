import { parseArgs, styleText } from 'node:util';
import { OperatorServiceDefinition as AnalysisOperator } from '@invoicecontrol/contracts/analysis/v1/operator_service';
import { OperatorServiceDefinition } from '@invoicecontrol/contracts/organization/v1/operator_service';
import { client, openChannel } from '@invoicecontrol/runtime/grpc/client';
import { UsageError } from './command.js';
import type { Command, CommandOption, Outcome } from './command.js';
import { createKey } from './commands/create-key.js';
import { createMember } from './commands/create-member.js';
import { createOrganization } from './commands/create-organization.js';
import { dryRunPolicy } from './commands/dry-run-policy.js';
import { overridePolicy } from './commands/override-policy.js';
import { replayAnalyses } from './commands/replay-analyses.js';
import { restoreOrganization } from './commands/restore-organization.js';
import { setPlan } from './commands/set-plan.js';
import { findSystem } from './connection.js';

const commands: readonly Command[] = [
  createOrganization,
  restoreOrganization,
  createKey,
  createMember,
  setPlan,
  replayAnalyses,
  dryRunPolicy,
  overridePolicy,
];

/** Exit codes: done, refused or failed, wrong usage. */
const DONE = 0;
const FAILED = 1;
const NOT_UNDERSTOOD = 2;

export interface RunDeps {
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly stderr: { write(text: string): unknown };
}

/** Runs one command and returns the exit code. Results go to standard output, everything else to standard error. */
export async function run(args: readonly string[], { env, stdout, stderr }: RunDeps): Promise<number> {
  const hasColours = stdout.isTTY === true && !env['NO_COLOR'];
  const bold = (text: string): string => (hasColours ? styleText('bold', text) : text);
  try {
    const [name, ...rest] = args;
    if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
      stdout.write(generalHelp(bold));
      return name === undefined ? NOT_UNDERSTOOD : DONE;
    }
    const command = commands.find((candidate) => candidate.name === name);
    if (command === undefined) throw new UsageError(`Unknown command ${name}. Run with --help to see all.`);
    const given = readOptions(command, rest);
    if (given.help) {
      stdout.write(commandHelp(command, bold));
      return DONE;
    }
    const outcome = await execute(command, given, env);
    stdout.write(given.json ? `${JSON.stringify(outcome.json)}\n` : toText(outcome, bold));
    return DONE;
  } catch (error) {
    stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof UsageError ? NOT_UNDERSTOOD : FAILED;
  }
}

interface Given {
  readonly help: boolean;
  readonly json: boolean;
  readonly address: string | undefined;
  readonly values: Readonly<Record<string, string | undefined>>;
}

function readOptions(command: Command, args: readonly string[]): Given {
  const own = Object.fromEntries(
    Object.entries(command.options).map(([name, { value }]) => [
      name,
      { type: value === undefined ? 'boolean' : 'string' } as const,
    ]),
  );
  let values: Record<string, string | boolean | undefined>;
  try {
    const options = { ...own, address: { type: 'string' }, ...switches } as const;
    values = parseArgs({ args: [...args], options, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError(`${(error as Error).message}. Run ${command.name} --help to see the options.`);
  }
  const { help, json, address, ...texts } = values;
  const given = Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, typeof text === 'string' ? text : '']),
  );
  const missing = Object.entries(command.options).filter(([name, { isRequired }]) => isRequired && !given[name]);
  if (help !== true && missing.length > 0) {
    const names = missing.map(([name, option]) => optionText(name, option)).join(', ');
    throw new UsageError(`${command.name} needs ${names}. Run ${command.name} --help to see all options.`);
  }
  return { help: help === true, json: json === true, address: address as string | undefined, values: given };
}

const switches = { help: { type: 'boolean', short: 'h' }, json: { type: 'boolean' } } as const;

async function execute(command: Command, { address, values }: Given, env: NodeJS.ProcessEnv): Promise<Outcome> {
  const system = await findSystem(command.service, address, env);
  const channel = openChannel(system.address);
  try {
    const operator = {
      rpc: client(OperatorServiceDefinition, channel),
      analysis: client(AnalysisOperator, channel),
      call: system.call,
    };
    return await command.run(operator, values);
  } catch (error) {
    if (isUnreachable(error)) {
      throw new Error(`Nothing answers at ${system.address}. Is the system running?`, { cause: error });
    }
    throw error;
  } finally {
    channel.close();
  }
}

function isUnreachable(error: unknown): boolean {
  return error instanceof Error && 'kind' in error && error.kind === 'unavailable';
}

type Style = (text: string) => string;

function toText({ sentence, values = {}, note }: Outcome, bold: Style): string {
  const entries = Object.entries(values);
  const width = Math.max(0, ...entries.map(([label]) => label.length));
  const lines = entries.map(([label, value]) => `  ${label.padEnd(width)}  ${bold(value)}`);
  return `${[sentence, ...(lines.length > 0 ? ['', ...lines] : []), ...(note === undefined ? [] : ['', note])].join('\n')}\n`;
}

function generalHelp(bold: Style): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return `The operator's command line. It talks to a running system.

${bold('Usage')}: npm run admin -- <command> [options]

${commands.map(({ name, summary }) => `  ${bold(name.padEnd(width))}  ${summary}`).join('\n')}

${bold('Options of every command')}
${optionLines({ options: {}, service: 'organization' })}

The system is found through --address and OPERATOR_TOKEN, else through .data/dev.json, which npm start writes.
In scripts: npm run --silent admin -- <command> --json. Exit codes: 0 done, 1 refused or failed, 2 wrong usage.
`;
}

function commandHelp(command: Command, bold: Style): string {
  const required = Object.entries(command.options).filter(([, { isRequired }]) => isRequired === true);
  const usage = required.map(([name, option]) => ` ${optionText(name, option)}`).join('');
  const summary = `${command.summary.charAt(0).toUpperCase()}${command.summary.slice(1)}.`;
  return `${summary}

${bold('Usage')}: npm run admin -- ${command.name}${usage} [options]

${optionLines(command)}
`;
}

function optionText(name: string, { value }: CommandOption): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}

/** The given options and those that every command has. */
function optionLines({ options, service }: Pick<Command, 'options' | 'service'>): string {
  const lines: [string, string][] = [
    ...Object.entries(options).map(([name, option]): [string, string] => [
      optionText(name, option),
      option.description,
    ]),
    [
      '--address HOST:PORT',
      `where the ${service} service answers (default: ${service.toUpperCase()}_ADDRESS, then dev.json)`,
    ],
    ['--json', 'print the result as one line of JSON and nothing else'],
    ['--help', 'print this help'],
  ];
  const width = Math.max(...lines.map(([option]) => option.length));
  return lines.map(([option, description]) => `  ${option.padEnd(width)}  ${description}`).join('\n');
}
