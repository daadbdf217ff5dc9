import { addressVariable } from '@invoicecontrol/runtime/config';
import type { AnyCommand, CommandOption } from './command.js';
import { operatedServices } from './command.js';
import type { Style } from './text-output.js';

const EXIT_CODES = 'Exit codes: 0 success, 1 refused or failed, 2 wrong usage.';

/** Returns the help text for all operator's commands, or for those that share their first word. */
export function generalHelp(commands: readonly AnyCommand[], bold: Style): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return `The operator's command line. It calls a running system, except for commands that read files or databases.

${bold('Usage')}: npm run admin -- <command> [options]

${commands.map(({ name, summary }) => `  ${bold(name.padEnd(width))}  ${summary}`).join('\n')}

Help for one command: npm run admin -- <command> --help.

The address of the system comes from --address or ORGANIZATION_ADDRESS, ANALYSIS_ADDRESS, ..., the certificate of the
operator from --identity, else .data/dev.json, which npm start writes, else TLS_DIR. In scripts: npm run --silent admin -- <command> --json. ${EXIT_CODES}
`;
}

/** Returns the help text for one operator's command. */
export function commandHelp(command: AnyCommand, bold: Style): string {
  const { name, argument, options, examples } = command;
  const required = Object.entries(options).filter(([, { isRequired }]) => isRequired === true);
  const usage = required.map(([option, own]) => ` ${optionText(option, own)}`).join('');
  const value = argument === undefined ? '' : ` ${argument.isRequired ? argument.value : `[${argument.value}]`}`;
  const summary = `${command.summary.charAt(0).toUpperCase()}${command.summary.slice(1)}.`;
  const lines = examples.map((example) => `  npm run admin -- ${`${name} ${example}`.trim()}`);
  return `${summary}

${bold('Usage')}: npm run admin -- ${name}${value}${usage} [options]

${optionLines(command)}

${bold(examples.length === 1 ? 'Example' : 'Examples')}
${lines.join('\n')}

${EXIT_CODES}
`;
}

/** `--name NAME` */
export function optionText(name: string, { value }: Pick<CommandOption, 'value'>): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}

/** Returns the lines for the argument, the options of an operator's command and the options that every command has. */
function optionLines(command: AnyCommand): string {
  const { argument, options } = command;
  const lines: [string, string][] = [
    ...(argument === undefined ? [] : [[argument.value, argument.description] as [string, string]]),
    ...Object.entries(options).map(([name, option]): [string, string] => [
      optionText(name, option),
      option.description,
    ]),
    ...connectionLines(command),
    [
      '--json',
      `print the result${'runOnFiles' in command ? ' for each file' : ''} as one line of JSON and nothing else`,
    ],
    ['--help', 'print this help'],
  ];
  const width = Math.max(...lines.map(([option]) => option.length));
  return lines.map(([option, description]) => `  ${option.padEnd(width)}  ${description}`).join('\n');
}

function connectionLines(command: AnyCommand): [string, string][] {
  if (!('run' in command)) return [];
  return command.service === 'every' ? everyLines : [addressLine(command.service), identityLine];
}

const identityLine: [string, string] = [
  '--identity DIR',
  'directory with the certificate of the operator (default: TLS_DIR, then dev.json)',
];

const everyLines: [string, string][] = [
  ['--service NAME', `only one of ${operatedServices.join(', ')} (default: all)`],
  ['--address HOST:PORT', 'address of that service (default: <SERVICE>_ADDRESS, then dev.json)'],
  identityLine,
];

function addressLine(service: string): [string, string] {
  const answers = `address of the ${service} service`;
  return ['--address HOST:PORT', `${answers} (default: ${addressVariable(service)}, then dev.json)`];
}
