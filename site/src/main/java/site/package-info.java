/**
 * Makes a web site of the Markdown pages of this project: {@link site.Site} writes it, {@link
 * site.Links} finds links that lead nowhere. The Markdown is the part of GitHub's that the pages
 * use.
 */
package site;
