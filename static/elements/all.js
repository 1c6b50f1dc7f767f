// Every element of the page, in the order in which they stand on it.

import './topbar.js';
import './runs.js';
import './welcome.js';
import './composer.js';
import './files.js';
import './runbar.js';
import './chat.js';
import './tasks.js';
import './plan.js';
import './question.js';
import './lease.js';
import './dialog.js';
import './live.js';
import './filmstrip.js';
import './grants.js';
import './browsers.js';
import './agents.js';
import './runform.js';
import './board.js';
import './yaml.js';
import './editor.js';
import './runboard.js';
import './inside.js';
import './compare.js';
import './ask.js';
import './notices.js';
