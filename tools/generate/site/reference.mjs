// Makes the pages of the API reference and of the events from openapi.json. The pages are plain HTML: nothing on them
// needs a script, and search finds each operation.
import { block, escapeHtml, headingLink, renderInline, renderMarkdown, uniqueIds } from './markdown.mjs';

/** Tag of the webhook requests to receivers, which have a page of their own. */
export const EVENTS_TAG = 'webhook-events';
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/**
 * Creates the pages of the API reference.
 * @param {any} api the parsed openapi.json
 * @param {(target: string) => string | undefined} resolve returns the address of a relative link, or undefined if its
 *   target is not served
 */
export function referencePages(api, resolve) {
  const tags = api.tags.filter(({ name }) => name !== EVENTS_TAG);
  const operations = Object.entries(api.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method] !== undefined).map((method) => ({ path, method, ...item[method] })),
  );
  const homes = schemaHomes(api, tags, operations);
  const context = { api, resolve, homes };
  const children = tags.map((tag) => ({ path: `/docs/api/${tag.name}`, title: titleOf(tag.name) }));
  return {
    children,
    pages: [
      overview(context, tags, operations),
      ...tags.map((tag) =>
        tagPage(
          context,
          tag,
          operations.filter((operation) => operation.tags[0] === tag.name),
        ),
      ),
      eventsPage(context),
    ],
  };
}

function titleOf(name) {
  const words = name.replaceAll('-', ' ');
  return (
    { 'api keys': 'API keys', 'erp connections': 'ERP connections' }[words] ?? capital(words.replace('ksef', 'KSeF'))
  );
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** Collects HTML and the sections of a page of the API reference for its contents and the search index. */
function writer(title) {
  const idOf = uniqueIds();
  const parts = [];
  const sections = [];
  return {
    sections,
    heading(level, text, id = idOf(text), shown = escapeHtml(text)) {
      sections.push({ id, level, title: text, text: '' });
      parts.push(`<h${level} id="${id}">${shown}${level === 1 ? '' : headingLink(id)}</h${level}>`);
    },
    add(html, words = '') {
      parts.push(html);
      if (sections.length > 0) sections.at(-1).text += ` ${words}`;
    },
    page: (path) => ({ path, title, html: parts.join('\n'), sections }),
  };
}

function overview({ api, resolve, homes: _ }, tags, operations) {
  const page = writer('API');
  page.heading(1, 'API reference');
  page.add(
    '<p>Every operation with its fields, its answers and the rights that it needs. Programs read <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1), or <a href="/openapi-without-webhooks.json">the document without webhooks</a>. The <a href="/docs/console">console</a> sends requests from this page\'s origin with your own key.</p>',
  );
  for (const tag of tags) {
    page.heading(2, titleOf(tag.name));
    page.add(`<p>${renderInline(tag.description, resolve)}</p>`, tag.description);
    const rows = operations
      .filter((operation) => operation.tags[0] === tag.name)
      .map(
        ({ path, method, operationId, summary }) =>
          `<li><a href="/docs/api/${tag.name}#${operationId}">${escapeHtml(summary)}</a> ${route(method, path)}</li>`,
      );
    page.add(`<ul class="operations">${rows.join('')}</ul>`);
  }
  const { html, sections } = renderMarkdown(api.info.description, resolve);
  page.add(html);
  page.sections.push(...sections);
  return page.page('/docs/api');
}

function tagPage(context, tag, operations) {
  const page = writer(titleOf(tag.name));
  page.heading(1, titleOf(tag.name));
  page.add(`<p>${renderInline(tag.description, context.resolve)}</p>`, tag.description);
  for (const operation of operations) addOperation(page, context, operation);
  const objects = [...context.homes].filter(([, home]) => home === `/docs/api/${tag.name}`).map(([name]) => name);
  if (objects.length > 0) {
    page.heading(2, 'Objects', 'objects');
    for (const name of objects) addObject(page, context, name);
  }
  return page.page(`/docs/api/${tag.name}`);
}

function addOperation(page, context, operation) {
  const { path, method, operationId, summary, description = '', parameters = [], requestBody, responses } = operation;
  page.heading(2, summary, operationId);
  page.add(`<p class="route">${route(method, path)}</p>`, `${method.toUpperCase()} ${path} ${operationId}`);
  const { html } = renderMarkdown(description, context.resolve);
  page.add(html, description);
  const resolved = parameters.map((parameter) => dereference(context.api, parameter));
  if (resolved.length > 0) {
    page.add('<h3>Parameters</h3>');
    page.add(
      fieldList(
        resolved.map(({ name, in: place, required, description: meaning, schema }) => ({
          name,
          isRequired: required === true,
          schema: { ...schema, description: meaning ?? schema.description },
          note: { path: 'in the path', query: 'in the query', header: 'header' }[place],
        })),
        context,
      ),
    );
  }
  if (requestBody !== undefined) {
    page.add('<h3>Request body</h3>');
    for (const [type, content] of Object.entries(requestBody.content)) page.add(bodyOf(type, content, context));
  }
  page.add('<h3>Responses</h3>');
  page.add(
    `<dl class="responses">${Object.entries(responses)
      .map(([status, response]) => responseOf(status, response, context))
      .join('')}</dl>`,
  );
}

function responseOf(status, reference, context) {
  const response = dereference(context.api, reference);
  const isShared = reference.$ref !== undefined;
  const description = renderInline(response.description, context.resolve);
  const content = isShared
    ? ` <a href="/docs/errors">Errors</a>`
    : Object.entries(response.content ?? {})
        .map(([type, body]) => bodyOf(type, body, context))
        .join('');
  const headers = Object.keys(response.headers ?? {}).map((name) => `<code>${name}</code>`);
  const sent = headers.length === 0 || isShared ? '' : `<p class="small">Headers: ${headers.join(', ')}</p>`;
  return `<dt><code>${status}</code></dt><dd>${description}${content}${sent}</dd>`;
}

/** Shows the body of a request or response in the API reference: its media type, its fields and its examples. */
function bodyOf(type, { schema, example, examples }, context) {
  const shown = example !== undefined ? { example: { value: example } } : (examples ?? {});
  const samples = Object.entries(shown).map(
    ([name, { value }]) =>
      `<details><summary>Example${name === 'example' ? '' : `: ${escapeHtml(name)}`}</summary>${
        typeof value === 'string' ? block(value, '') : block(JSON.stringify(value, null, 2), 'json')
      }</details>`,
  );
  const form = schema === undefined ? '' : `: ${typeOf(schema, context)}`;
  const fields = schema === undefined || schema.$ref !== undefined ? '' : fieldsOf(schema, context);
  return `<div class="body"><p><code>${escapeHtml(type)}</code>${form}</p>${fields}${samples.join('')}</div>`;
}

function addObject(page, context, name) {
  const schema = context.api.components.schemas[name];
  page.heading(3, name, name);
  const description = schema.description ?? '';
  page.add(description === '' ? '' : `<p>${renderInline(description, context.resolve)}</p>`, description);
  if (schema.properties === undefined) page.add(`<p>${typeOf(schema, context)}</p>`);
  page.add(fieldsOf(schema, context));
}

function fieldsOf(schema, context) {
  const object = schema.type === 'array' ? schema.items : schema;
  if (object?.properties === undefined) return '';
  const required = new Set(object.required ?? []);
  return fieldList(
    Object.entries(object.properties).map(([name, property]) => ({
      name,
      isRequired: required.has(name),
      schema: property,
    })),
    context,
  );
}

function fieldList(fields, context) {
  const items = fields.map(({ name, isRequired, schema, note }) => {
    const described = schema.description ?? context.api.components.schemas[nameOf(schema.$ref)]?.description ?? '';
    const words = [
      typeOf(schema, context),
      ...(note === undefined ? [] : [note]),
      ...(isRequired ? ['<b>required</b>'] : []),
      ...limitsOf(schema),
    ];
    const below = fieldsOf(schema, context);
    return `<dt><code>${escapeHtml(name)}</code></dt><dd><span class="small">${words.join(', ')}</span>${
      described === '' ? '' : `<br>${renderInline(described, context.resolve)}`
    }${below}</dd>`;
  });
  return `<dl class="fields">${items.join('')}</dl>`;
}

/** Returns the type of a value of the API in words, with links to named objects. */
function typeOf(schema, context) {
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref);
    return `<a href="${context.homes.get(name) ?? '/docs/api'}#${name}">${name}</a>`;
  }
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices !== undefined) return choices.map((choice) => typeOf(choice, context)).join(' or ');
  if (schema.allOf !== undefined) return schema.allOf.map((part) => typeOf(part, context)).join(' with ');
  if (schema.const !== undefined) return `<code>${escapeHtml(JSON.stringify(schema.const))}</code>`;
  if (schema.enum !== undefined)
    return schema.enum.map((value) => `<code>${escapeHtml(String(value))}</code>`).join(' or ');
  if (schema.type === 'array')
    return `list of ${schema.items === undefined ? 'values' : typeOf(schema.items, context)}`;
  if (Array.isArray(schema.type)) return schema.type.join(' or ');
  return schema.format === 'binary' ? 'bytes' : (schema.type ?? 'any value');
}

function limitsOf(schema) {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, default: preset, format } = schema;
  return [
    ...(format === undefined || format === 'binary' ? [] : [escapeHtml(format)]),
    ...range('characters', minLength, maxLength),
    ...range('', minimum, maximum),
    ...range('items', minItems, maxItems),
    ...(preset === undefined ? [] : [`default <code>${escapeHtml(JSON.stringify(preset))}</code>`]),
  ];
}

function range(unit, least, most) {
  if (least === undefined && most === undefined) return [];
  const amount =
    least === undefined ? `at most ${most}` : most === undefined ? `at least ${least}` : `${least} to ${most}`;
  return [`${amount} ${unit}`.trim()];
}

function eventsPage(context) {
  const { api, resolve } = context;
  const page = writer('Events');
  page.heading(1, 'Events');
  page.add(
    `<p>${renderInline(api.tags.find(({ name }) => name === EVENTS_TAG).description, resolve)} <a href="/docs/guides/receiving-webhooks">Receiving webhooks</a> explains signatures, retries and what a receiver must do. Further types may be added; a webhook receives only the types that it names.</p>`,
  );
  for (const [type, { post }] of Object.entries(api.webhooks)) {
    page.heading(2, type, type.replaceAll(/[._]/g, '-'));
    page.add(`<p>${renderInline(`${post.summary}.`, resolve)}</p>`, post.summary);
    for (const [mediaType, content] of Object.entries(post.requestBody.content)) {
      const schema = dereference(api, content.schema);
      page.add(fieldsOf(schema, context), Object.keys(schema.properties.data?.properties ?? {}).join(' '));
      page.add(bodyOf(mediaType, { ...content, schema: undefined }, context));
    }
  }
  const objects = [...context.homes].filter(([name, home]) => home === '/docs/events' && !name.endsWith('Event'));
  if (objects.length > 0) page.heading(2, 'Objects', 'objects');
  for (const [name] of objects) addObject(page, context, name);
  return page.page('/docs/events');
}

function route(method, path) {
  return `<code class="endpoint"><b>${method.toUpperCase()}</b> /v1${escapeHtml(path)}</code>`;
}

function dereference(api, value) {
  if (value.$ref === undefined) return value;
  return value.$ref
    .slice(2)
    .split('/')
    .reduce((node, key) => node[key], api);
}

function nameOf(reference = '') {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

/**
 * Returns the page of each named object in the API reference: the page of the first tag with an operation that uses the
 * object.
 */
function schemaHomes(api, tags, operations) {
  const homes = new Map();
  const visit = (node, home) => {
    if (typeof node !== 'object' || node === null) return;
    const reference = node.$ref;
    if (typeof reference === 'string' && reference.startsWith('#/components/')) {
      const name = nameOf(reference);
      const isSchema = reference.startsWith('#/components/schemas/');
      if (isSchema && homes.has(name)) return;
      if (isSchema) homes.set(name, home);
      visit(dereference(api, node), home);
      return;
    }
    for (const [key, child] of Object.entries(node)) if (key !== 'example' && key !== 'examples') visit(child, home);
  };
  for (const { name } of tags) {
    for (const operation of operations.filter(({ tags: [first] }) => first === name))
      visit(operation, `/docs/api/${name}`);
  }
  // Some objects are used by no operation, but only by events or by the evidence of findings. They are described on the
  // page about events or on the page about findings.
  for (const name of Object.keys(api.components.schemas)) {
    const home = name.endsWith('Event') ? '/docs/events' : '/docs/api/findings';
    if (!homes.has(name)) visit({ $ref: `#/components/schemas/${name}` }, home);
  }
  return homes;
}
