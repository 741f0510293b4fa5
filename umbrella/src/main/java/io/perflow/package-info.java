/** The library as a whole; capabilities belong to the modules it gathers. */
package io.perflow;
