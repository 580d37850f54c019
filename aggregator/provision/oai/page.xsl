<?xml version="1.0" encoding="UTF-8"?>
<!-- An OAI-PMH response as part of a page that people can read and walk through; applied here, not in the browser. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:o="http://www.openarchives.org/OAI/2.0/"
    xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" exclude-result-prefixes="o dc dcterms">
<xsl:output method="html" encoding="UTF-8" indent="no"/>
<xsl:param name="next"/>
<xsl:variable name="base" select="/o:OAI-PMH/o:request"/>
<xsl:variable name="prefix"><xsl:choose>
  <xsl:when test="$base/@metadataPrefix"><xsl:value-of select="$base/@metadataPrefix"/></xsl:when>
  <xsl:otherwise>oai_dc</xsl:otherwise></xsl:choose></xsl:variable>

<xsl:template match="/o:OAI-PMH">
<div class="oai">
<nav aria-label="OAI-PMH"><ul class="verbs">
<li><a href="?verb=Identify">Identify</a></li>
<li><a href="?verb=ListMetadataFormats">ListMetadataFormats</a></li>
<li><a href="?verb=ListSets">ListSets</a></li>
<li><a href="?verb=ListIdentifiers&amp;metadataPrefix={$prefix}">ListIdentifiers</a></li>
<li><a href="?verb=ListRecords&amp;metadataPrefix={$prefix}">ListRecords</a></li>
</ul></nav>
<xsl:apply-templates select="o:error|o:Identify|o:ListMetadataFormats|o:ListSets|o:ListIdentifiers|o:ListRecords|o:GetRecord"/>
<p class="soft">responseDate <time><xsl:value-of select="o:responseDate"/></time> · baseURL <code><xsl:value-of select="o:request"/></code></p>
</div>
</xsl:template>

<xsl:template match="o:error">
<p class="fault"><strong><xsl:value-of select="@code"/></strong>: <xsl:value-of select="."/></p>
</xsl:template>

<xsl:template match="o:Identify">
<dl><xsl:for-each select="*[not(self::o:description)]"><div><dt><xsl:value-of select="local-name()"/></dt><dd><xsl:value-of select="."/></dd></div></xsl:for-each>
<xsl:for-each select="o:description//dc:*"><div><dt><xsl:value-of select="local-name()"/></dt><dd><xsl:value-of select="."/></dd></div></xsl:for-each></dl>
</xsl:template>

<xsl:template match="o:ListMetadataFormats">
<dl><xsl:for-each select="o:metadataFormat"><div>
<dt><a href="?verb=ListRecords&amp;metadataPrefix={o:metadataPrefix}"><xsl:value-of select="o:metadataPrefix"/></a></dt>
<dd><xsl:value-of select="o:metadataNamespace"/></dd></div></xsl:for-each></dl>
</xsl:template>

<xsl:template match="o:ListSets">
<dl><xsl:for-each select="o:set"><div>
<dt><a href="?verb=ListRecords&amp;metadataPrefix={$prefix}&amp;set={o:setSpec}"><xsl:value-of select="o:setSpec"/></a></dt>
<dd><xsl:value-of select="o:setName"/></dd></div></xsl:for-each></dl>
</xsl:template>

<xsl:template match="o:ListIdentifiers|o:ListRecords|o:GetRecord">
<xsl:if test="o:resumptionToken/@completeListSize"><p><xsl:value-of select="o:resumptionToken/@cursor + 1"/> – <xsl:value-of select="o:resumptionToken/@cursor + count(o:record|o:header)"/> / <xsl:value-of select="o:resumptionToken/@completeListSize"/></p></xsl:if>
<ol class="records plain"><xsl:apply-templates select="o:record|o:header"/></ol>
<xsl:if test="string(o:resumptionToken)"><p><a class="next" href="?verb={$base/@verb}&amp;resumptionToken={o:resumptionToken}"><xsl:value-of select="$next"/></a></p></xsl:if>
</xsl:template>

<xsl:template match="o:record">
<li>
<xsl:if test="o:metadata"><h2><xsl:value-of select="(o:metadata//dc:title|o:metadata//dcterms:title)[1]"/></h2></xsl:if>
<xsl:apply-templates select="o:header" mode="inside"/>
<xsl:if test="o:metadata"><details><summary>metadata</summary><dl><xsl:for-each select="o:metadata//*[not(*) and string(.)]"><div><dt><xsl:value-of select="name()"/></dt><dd><xsl:value-of select="."/></dd></div></xsl:for-each></dl></details></xsl:if>
</li>
</xsl:template>

<xsl:template match="o:header"><li><xsl:apply-templates select="." mode="inside"/></li></xsl:template>

<xsl:template match="o:header" mode="inside">
<p><a href="?verb=GetRecord&amp;metadataPrefix={$prefix}&amp;identifier={o:identifier}"><xsl:value-of select="o:identifier"/></a>
<xsl:text> </xsl:text><time><xsl:value-of select="o:datestamp"/></time>
<xsl:if test="@status"> <strong class="gone"><xsl:value-of select="@status"/></strong></xsl:if>
<span class="sets"><xsl:for-each select="o:setSpec"><xsl:text> </xsl:text><a href="?verb=ListRecords&amp;metadataPrefix={$prefix}&amp;set={.}"><xsl:value-of select="."/></a></xsl:for-each></span></p>
</xsl:template>
</xsl:stylesheet>
