// What makes a report page look and work: the contents of page.css and page.js, which are built into the program.
#pragma once

namespace graphnet {

extern const char* const kPageStyle;
extern const char* const kPageScript;

}  // namespace graphnet
