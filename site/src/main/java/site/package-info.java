/**
 * The web site made from the Markdown pages of this project: {@link site.Site} writes it, {@link
 * site.Links} finds broken links. The Markdown is the part of GitHub's that the pages use.
 */
package site;
