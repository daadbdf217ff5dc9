import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import './theme.css';

const root = document.getElementById('app');
if (root === null) throw new TypeError('The page has no element for the app.');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
