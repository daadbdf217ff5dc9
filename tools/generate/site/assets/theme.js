// Applies the chosen colours before the page is drawn. Without a choice, the page follows the system.
const chosen = (() => {
  try {
    return localStorage.getItem('theme');
  } catch {
    return null;
  }
})();
if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset.theme = chosen;
