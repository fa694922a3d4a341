// Checks that every link of the built site leads somewhere: each local `href` and `src` to a file, and each anchor to
// an element. It does not follow links to other hosts, and so needs no network.
// Run: tsx scripts/check-site.ts [DIRECTORY]     `site` by default; `npm run docs` builds it first
import { brokenSiteLinks } from './site-links';

const [directory = 'site'] = process.argv.slice(2);
const { pages, links, broken } = brokenSiteLinks(directory);
for (const line of broken) console.error(line);
console.log(`${pages} pages, ${links} local links, ${broken.length} broken.`);
if (pages === 0 || links === 0 || broken.length > 0) process.exit(1);
