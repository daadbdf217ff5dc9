// Adds to each page what needs a script: search, copy buttons and the choice of colours.
const { search: searchModule, index: indexAddress } = document.querySelector('script[data-search]').dataset;
const RESULTS_MAX = 12;

for (const code of document.querySelectorAll('.code')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  const show = (text) => {
    button.textContent = text;
    setTimeout(() => (button.textContent = 'Copy'), 2_000);
  };
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(code.querySelector('code').textContent).then(
      () => show('Copied'),
      () => show('Not copied'),
    );
  });
  code.append(button);
}

const theme = document.querySelector('#theme');
const isDark = () =>
  (document.documentElement.dataset.theme ??
    (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
const showTheme = () => (theme.textContent = isDark() ? 'Light' : 'Dark');
theme.hidden = false;
theme.addEventListener('click', () => {
  const next = isDark() ? 'light' : 'dark';
  document.documentElement.dataset.theme = next;
  try {
    localStorage.setItem('theme', next);
  } catch {
    // The choice then lasts until the page is left.
  }
  showTheme();
});
showTheme();

const input = document.querySelector('#search');
const results = document.querySelector('#results');
document.querySelector('search').hidden = false;

/** The index is loaded when someone begins to search, and once. */
let loading;
function loadIndex() {
  loading ??= Promise.all([import(searchModule), fetch(indexAddress).then((response) => response.text())]).then(
    ([{ default: MiniSearch }, text]) =>
      MiniSearch.loadJSON(text, { idField: 'id', fields: ['title', 'text'], storeFields: ['title', 'page'] }),
  );
  loading.catch(() => (loading = undefined));
  return loading;
}

async function find() {
  const words = input.value.trim();
  if (words === '') {
    results.hidden = true;
    return;
  }
  let found;
  try {
    const index = await loadIndex();
    if (input.value.trim() !== words) return;
    found = index.search(words, { prefix: true, fuzzy: 0.15, combineWith: 'AND', boost: { title: 3 } });
  } catch {
    results.replaceChildren('The search index could not be loaded. Reload the page.');
    results.hidden = false;
    return;
  }
  const items = found.slice(0, RESULTS_MAX).map(({ id, title, page }) => {
    const link = document.createElement('a');
    link.href = id;
    const heading = document.createElement('b');
    heading.textContent = title;
    link.append(heading, title === page ? '' : ` ${page}`);
    return link;
  });
  results.replaceChildren(...(items.length > 0 ? items : ['Nothing was found.']));
  results.hidden = false;
}

input.addEventListener('focus', () => void loadIndex().catch(() => {}));
input.addEventListener('input', () => void find());
input.addEventListener('keydown', (event) => {
  if (event.key === 'Enter') results.querySelector('a')?.click();
});
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') results.hidden = true;
  const isTyping = document.activeElement instanceof HTMLInputElement;
  if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    input.focus();
  }
});
results.addEventListener('click', () => (results.hidden = true));
