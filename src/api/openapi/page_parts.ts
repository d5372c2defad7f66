/** How the page looks, and the script that finds things in it. */

export const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 78rem; margin: 0 auto; padding: 1rem; }
nav { column-width: 16rem; margin: 1rem 0; }
nav a { display: block; }
h2 { margin: 2rem 0 0; border-bottom: 1px solid; }
table { border-collapse: collapse; width: 100%; margin: 0.5rem 0; }
th, td { text-align: left; vertical-align: top; padding: 0.15rem 0.6rem 0.15rem 0; overflow-wrap: anywhere; }
tbody tr:nth-child(odd) { background: color-mix(in srgb, currentColor 6%, transparent); }
input { width: 100%; font: inherit; padding: 0.4rem; box-sizing: border-box; }
[hidden] { display: none; }
`;

/** Shows the sections with what is looked for; the rows without it are hidden where a row has it. */
export const SCRIPT = `
const sections = [...document.querySelectorAll('section')];
document.querySelector('input').addEventListener('input', ({ target }) => {
  const wanted = target.value.trim().toLowerCase().replaceAll('-', '_');
  const has = (element) => element.textContent.toLowerCase().replaceAll('-', '_').includes(wanted);
  for (const section of sections) {
    section.hidden = !has(section);
    const named = has(section.querySelector('h2'));
    for (const row of section.querySelectorAll('tbody tr')) row.hidden = !named && !has(row);
  }
});
`;
