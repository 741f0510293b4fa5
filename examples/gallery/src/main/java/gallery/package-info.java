/** Programs that draw the pictures of the documentation, and show how the library is used. */
package gallery;
